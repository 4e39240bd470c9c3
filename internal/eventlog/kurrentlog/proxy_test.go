package kurrentlog_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a log and its server, and is the network that fails.
type proxy struct {
	address string
	target  string
	// lifetime is how many bytes of answers a connection lives to carry; nil if that is not bounded.
	lifetime func() int64

	ctx     context.Context
	carried sync.WaitGroup

	mu    sync.Mutex
	links []*link
	made  int // connections, ever
}

// link is one connection through a proxy.
type link struct {
	client, server net.Conn
	stalled        chan struct{} // closed when nothing comes through any more
}

func startProxy(t testing.TB, target string, lifetime func() int64) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	p := &proxy{address: listener.Addr().String(), target: target, lifetime: lifetime, ctx: ctx}
	p.carried.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.carried.Go(func() { p.carry(client) })
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		p.cut()
		p.carried.Wait()
	})
	return p
}

func (p *proxy) connection(settings string) string {
	return fmt.Sprintf("esdb://%s?tls=false%s", p.address, settings)
}

func (p *proxy) carry(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{client: client, server: server, stalled: make(chan struct{})}
	var answers io.Reader = server
	if p.lifetime != nil {
		answers = io.LimitReader(server, p.lifetime())
	}
	p.mu.Lock()
	p.links = append(p.links, l)
	p.made++
	p.mu.Unlock()
	p.carried.Go(func() { p.copy(l, server, client) })
	p.copy(l, client, answers)
}

// copy carries one direction, and ends both.
func (p *proxy) copy(l *link, to io.Writer, from io.Reader) {
	defer l.client.Close()
	defer l.server.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		select {
		case <-l.stalled:
			<-p.ctx.Done()
			return
		default:
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made
}

// each does something to the connections that there are.
func (p *proxy) each(do func(*link)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		do(l)
	}
	p.links = nil
}

// cut ends all connections. New ones can be made.
func (p *proxy) cut() {
	p.each(func(l *link) {
		_ = l.client.Close()
		_ = l.server.Close()
	})
}

// stall lets nothing through the connections that there are, and does not end them. New ones can be made.
func (p *proxy) stall() {
	p.each(func(l *link) { close(l.stalled) })
}
