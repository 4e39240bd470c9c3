package hostcall

import (
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// A script may not reach these addresses unasked, in all the ways in which they can be written.
func TestGuardRefusesAddresses(t *testing.T) {
	t.Parallel()
	g := newGuard(nil)
	for _, host := range []string{
		// IPv4
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
		"127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255",
		"192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.1.1", "192.175.48.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		// other spellings of IPv4
		"127.0.0.1.", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.01", "0x7f000001", "0x7F.0.0.1", "0x7f.1", "127.1", "127.0.1",
		"10.1", "0", "1.2.3.4.5", "example.0x", "256.256.256.256",
		// IPv6
		"[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[64:ff9b::8.8.8.8]", "[64:ff9b:1::1]", "[100::1]", "[2001::1]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]",
		"[2001:db8::1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2002:c0a8:101::1]", "[2001:1ff:ffff::1]", "[2620:4f:8000::1]", "[3fff::1]", "[3fff:fff:ffff::1]", "[5f00::1]",
		"[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%25eth0]", "[2606:4700::1%25eth0]", "[fec0::1]", "[ff02::1]", "[4000::1]",
	} {
		for _, scheme := range []string{"http", "https"} {
			u, err := url.Parse(scheme + "://" + host + "/latest/meta-data")
			require.NoError(t, err, host)
			wrong, refused := g.checkURL(u)
			require.Empty(t, wrong, host)
			require.NotNil(t, refused, host)
		}
	}
}

// Ports are the web's, unless a person said otherwise; schemes are the web's, always.
func TestGuardPortsAndSchemes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		allowed []string
		url     string
		wrong   string
		refused string
	}{
		{url: "https://example.com/"},
		{url: "http://example.com:443/"},
		{url: "https://93.184.216.34/"},
		{url: "https://[2606:4700::1111]/"},
		{url: "https://1.example/"},
		{url: "https://0x.example/"},
		{url: "https://example.com:8443/", refused: `port 8443 of example.com is not one of the web's (80 and 443); ` +
			`to let this workflow reach it, a person adds "example.com:8443" to the workflow's allowed hosts`},
		{url: "http://example.com:22/", refused: "port 22"},
		{allowed: []string{"example.com:22"}, url: "http://example.com:22/"},
		{allowed: []string{"example.com:22"}, url: "http://example.com:23/", refused: "port 23"},
		{allowed: []string{" Example.COM. "}, url: "http://example.com:9999/"},
		{allowed: []string{"example.com"}, url: "http://EXAMPLE.com./"},
		{allowed: []string{"example.com"}, url: "http://evil.example.com:81/", refused: "port 81"},
		{allowed: []string{"10.0.0.5"}, url: "http://10.0.0.5:8080/"},
		{allowed: []string{"10.0.0.5:80"}, url: "http://10.0.0.5/"},
		{allowed: []string{"10.0.0.5:80"}, url: "https://10.0.0.5/", refused: `10.0.0.5 is not a public address (10.0.0.0/8, private use, RFC 1918); ` +
			`to let this workflow reach it, a person adds "10.0.0.5:443" to the workflow's allowed hosts`},
		{allowed: []string{"10.0.0.5"}, url: "http://10.0.0.6/", refused: "10.0.0.6 is not a public address"},
		{allowed: []string{"::1"}, url: "http://[::1]:8080/"},
		{allowed: []string{"[::1]"}, url: "http://[0:0::1]/"},
		{allowed: []string{"[::1]:8080"}, url: "http://[::1]:8080/"},
		{allowed: []string{"[::1]:8080"}, url: "http://[::1]/", refused: "::1 is not a public address (::1/128, loopback, RFC 4291)"},
		{allowed: []string{"", ":", ":80"}, url: "http://127.0.0.1/", refused: "127.0.0.1 is not a public address"},
		{url: "ftp://example.com/", wrong: "not an http or https URL"},
		{url: "file:///etc/passwd", wrong: "not an http or https URL"},
		{url: "http:///x", wrong: "no host in the URL"},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		require.NoError(t, err, test.url)
		wrong, refused := newGuard(test.allowed).checkURL(u)
		require.Equal(t, test.wrong, wrong, test.url)
		if test.refused == "" {
			require.Nil(t, refused, test.url)
		} else {
			require.NotNil(t, refused, test.url)
			require.Contains(t, refused.Error(), test.refused)
		}
	}
}

// The address that is dialled counts, whatever the name was.
func TestGuardChecksTheDialledAddress(t *testing.T) {
	t.Parallel()
	g := newGuard([]string{"intranet.example:80"})
	require.NoError(t, g.checkDial("example.com", "443", "93.184.216.34:443"))
	require.NoError(t, g.checkDial("example.com", "443", "[2606:4700::1111]:443"))
	require.NoError(t, g.checkDial("intranet.example", "80", "10.0.0.5:80"))
	for address, want := range map[string]string{
		"127.0.0.1:80":         "leads to 127.0.0.1, which is not a public address (127.0.0.0/8, loopback, RFC 1122)",
		"[::1]:80":             "leads to ::1",
		"[::ffff:10.0.0.5]:80": "leads to ::ffff:10.0.0.5",
		"[fe80::1%eth0]:80":    "an address with a zone",
		"/run/docker.sock":     "which is not an address",
	} {
		require.ErrorContains(t, g.checkDial("example.com", "80", address), want)
	}
	require.Error(t, g.checkDial("intranet.example", "443", "10.0.0.5:443"))
}

// The guard against an oracle that shares nothing with its tables: what the standard
// library knows to be no public unicast address is never let through, and what is let
// through lies where IANA gives addresses to the public.
func FuzzWhyNotPublic(f *testing.F) {
	for _, text := range []string{"8.8.8.8", "127.0.0.1", "::1", "::ffff:1.2.3.4", "fe80::1", "2001:db8::1", "2606:4700::1", "255.255.255.255"} {
		f.Add(netip.MustParseAddr(text).AsSlice())
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		addr, ok := netip.AddrFromSlice(bytes)
		if !ok {
			require.NotEmpty(t, WhyNotPublic(netip.Addr{}))
			return
		}
		if WhyNotPublic(addr) != "" {
			return
		}
		require.True(t, addr.IsGlobalUnicast(), addr)
		require.False(t, addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsMulticast() ||
			addr.IsInterfaceLocalMulticast() || addr.IsUnspecified() || addr.Is4In6() || addr.Zone() != "", addr)
		first := addr.AsSlice()[0]
		if addr.Is4() {
			require.True(t, first != 0 && first != 10 && first != 127 && first < 224, addr)
		} else {
			require.Equal(t, byte(1), first>>5, addr)
			require.NotEmpty(t, WhyNotPublic(addr.WithZone("eth0")), addr)
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	g := newGuard([]string{"intranet.example:80"})
	u, err := url.Parse("https://api.example.com/v1/refunds?day=2026-03-01")
	require.NoError(b, err)
	for b.Loop() {
		if _, refused := g.checkURL(u); refused != nil {
			b.Fatal(refused)
		}
		if err := g.checkDial("api.example.com", "443", "93.184.216.34:443"); err != nil {
			b.Fatal(err)
		}
	}
}
