package hostcall_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// resolve starts a real name server whose answers (IPv4 addresses, none for a name that
// does not exist, or SERVFAIL) a function gives, told how often the name was asked before,
// and returns a resolver that asks it.
func resolve(t *testing.T, answer func(name string, before int) []string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		asked := map[string]int{}
		query := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(respond(query[:n], asked, answer), from)
		}
	})
	t.Cleanup(func() {
		_ = server.Close()
		all.Wait()
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// respond answers a DNS query (RFC 1035, section 4) of one question.
func respond(query []byte, asked map[string]int, answer func(string, int) []string) []byte {
	name, at := "", 12
	for query[at] != 0 {
		length := int(query[at])
		name += string(query[at+1:at+1+length]) + "."
		at += 1 + length
	}
	kind := binary.BigEndian.Uint16(query[at+1:])
	at += 5
	response := append([]byte{}, query[:at]...)
	response[2], response[3] = 0x84, 0 // an authoritative answer
	binary.BigEndian.PutUint16(response[6:], 0)
	binary.BigEndian.PutUint32(response[8:], 0)
	const typeA = 1
	before := asked[name]
	if kind == typeA {
		asked[name]++
	}
	addresses := answer(name, before)
	switch {
	case len(addresses) == 0:
		response[3] = 3
	case addresses[0] == "SERVFAIL":
		response[3] = 2
	case kind == typeA:
		binary.BigEndian.PutUint16(response[6:], uint16(len(addresses)))
		for _, address := range addresses {
			four := netip.MustParseAddr(address).As4()
			response = append(response, 0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
			response = append(response, four[:]...)
		}
	}
	return response
}
