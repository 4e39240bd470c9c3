package hostcall

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// A certificate for another name means a wrong address in the script, unless the host has
// answered before. (A public address with such a certificate cannot be had in a test.)
func TestCertificateForAnotherName(t *testing.T) {
	t.Parallel()
	for known, class := range map[bool]string{false: sandbox.ClassLogic, true: sandbox.ClassNetwork} {
		c := newClient(&Env{KnownHosts: func(host string) bool { return known && host == "api.example" }})
		u, err := url.Parse("https://api.example/")
		require.NoError(t, err)
		h := &hop{client: c, request: &request{method: "GET", url: u.String()}, url: u}
		e := c.classify(h, fmt.Errorf("tls: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "api.example"}), false)
		require.Equal(t, []string{class, CodeTLS, "api.example"}, []string{e.Class, e.Code, e.Host})
	}
}

// Credentials follow a redirect to the same host and port, and from http up to https.
func TestSameHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.example/x", "https://A.EXAMPLE:443/y", true},
		{"http://a.example/", "https://a.example/", true},
		{"https://a.example/", "http://a.example/", false},
		{"http://a.example:8080/", "https://a.example/", false},
		{"http://a.example/", "https://a.example:8443/", false},
		{"https://a.example/", "https://a.example:444/", false},
		{"https://a.example/", "https://b.example/", false},
		{"https://a.example/", "https://sub.a.example/", false},
	} {
		from, err := url.Parse(test.from)
		require.NoError(t, err)
		to, err := url.Parse(test.to)
		require.NoError(t, err)
		require.Equal(t, test.want, sameHost(from, to), "%s to %s", test.from, test.to)
	}
}
