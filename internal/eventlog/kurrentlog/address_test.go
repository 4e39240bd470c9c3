package kurrentlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		hosts    []string
		discover bool
		user     string
		password string
		plain    bool
	}{
		"esdb://localhost":                          {hosts: []string{"localhost:2113"}},
		"ESDB://localhost/":                         {hosts: []string{"localhost:2113"}},
		"esdb://localhost:1234?tls=false":           {hosts: []string{"localhost:1234"}, plain: true},
		"kurrentdb://localhost?TLS=False":           {hosts: []string{"localhost:2113"}, plain: true},
		"kurrent://a:1,b:2,c?tls=true":              {hosts: []string{"a:1", "b:2", "c:2113"}, discover: true},
		"kdb+discover://cluster.example":            {hosts: []string{"cluster.example:2113"}, discover: true},
		"esdb://[::1]:2114,[fe80::2]?tls=false":     {hosts: []string{"[::1]:2114", "[fe80::2]:2113"}, discover: true, plain: true},
		"esdb://admin:changeit@localhost":           {hosts: []string{"localhost:2113"}, user: "admin", password: "changeit"},
		"esdb://admin:c%40%2Fh%3F%25@localhost:1/?": {hosts: []string{"localhost:1"}, user: "admin", password: "c@/h?%"},
		"esdb://a:p@b:1,c:2?nodePreference=leader":  {hosts: []string{"b:1", "c:2"}, discover: true, user: "a", password: "p"},
		"esdb://h?maxDiscoverAttempts=3&keepAliveInterval=-1&throwOnAppendFailure=false&connectionName=x": {hosts: []string{"h:2113"}},
	} {
		a, err := parseAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want.hosts, a.hosts, text)
		require.Equal(t, want.discover, a.discover, text)
		require.Equal(t, want.user, a.Username, text)
		require.Equal(t, want.password, a.Password, text)
		require.Equal(t, want.plain, a.DisableTLS, text)
	}
	a, err := parseAddress("esdb://h?defaultDeadline=1500&connectionName=node%201&keepAliveTimeout=300&keepAliveInterval=5000")
	require.NoError(t, err)
	require.Equal(t, 1500*time.Millisecond, a.deadline)
	require.Equal(t, "node 1", a.name)
	require.Equal(t, 300*time.Millisecond, a.KeepAliveTimeout)
	require.Equal(t, 10*time.Second, a.KeepAliveInterval)
}

// A string that says nothing, or something else than was meant, is refused; the refusal never shows the password.
func TestParseAddressRefuses(t *testing.T) {
	t.Parallel()
	notPEM := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(notPEM, []byte("no certificate"), 0o600))
	for text, want := range map[string]string{
		"":                                      "begins with esdb://",
		"localhost:2113":                        "begins with esdb://",
		"postgres://u:s3cret@localhost":         "begins with esdb://",
		"esdb:localhost":                        "begins with esdb://",
		"esdb://":                               "lacks a host",
		"esdb://u:s3cret@":                      "lacks a host",
		"esdb://a,,b":                           "a comma too many",
		"esdb://a:70000":                        "is not a host and port",
		"esdb://a:-1":                           "is not a host and port",
		"esdb://a:0":                            "is not a host and port",
		"esdb://a:b":                            "is not a host and port",
		"esdb://:2113":                          "is not a host and port",
		"esdb://::1":                            "is not a host and port",
		"esdb://a/path":                         "is not a host and port",
		"esdb://a b":                            "is not a host and port",
		"esdb://:s3cret@a":                      "empty username",
		"esdb://u:s3cret%zz@a":                  "in a password, write",
		"esdb://u:s3cr<et>\x01@a":               "in a password, write",
		"esdb://u:s3/cret@a":                    "in a password, write",
		"esdb://u:12/s3cret@a":                  "in a password, write",
		"esdb://u:12?s3cret@a":                  "in a password, write",
		"esdb://u:pass?s3cret@a?tls=false":      "in a password, write",
		"esdb://u:12#s3cret@a":                  "in a password, write",
		"esdb://a?tls=maybe":                    "tls",
		"esdb://a?tlsCAFlie=/x":                 `"tlsCAFlie"; there are connectionName`,
		"esdb://a?tls=true&tls=false":           "twice",
		"esdb://a?nodePreference=follower":      "only the leader",
		"esdb://a?nodePreference=nobody":        "NodePreference",
		"esdb://a?defaultDeadline=soon":         "number of milliseconds",
		"esdb://a?defaultDeadline=0":            "number of milliseconds",
		"esdb://a?keepAliveInterval=never":      "keepAliveInterval",
		"esdb://a?gossipTimeout=x":              "gossipTimeout",
		"esdb://a?tlsCAFile=/none/ca.crt":       "/none/ca.crt",
		"esdb://a?tlsCAFile=" + notPEM:          "certificate file",
		"esdb://a?userCertFile=/x":              "userKeyFile",
		"esdb://a?%zz=1":                        "cannot be read",
		"esdb://a?tls=false;tlsVerifyCert=true": "cannot be read",
	} {
		_, err := parseAddress(text)
		require.Error(t, err, text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "s3cret", text)
		require.NotContains(t, err.Error(), "s3cr<et>", text)
	}
}
