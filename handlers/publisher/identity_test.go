package publisher_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// signer makes certificates.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "of the tests"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	return signer{cert, key}
}

// client is a certificate and its key as they are written.
func (s signer) client(t *testing.T, until time.Time) (cert, key string) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kintsugi"}, NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	raw, err := x509.CreateCertificate(rand.Reader, template, s.cert, own.Public(), s.key)
	require.NoError(t, err)
	written, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: written}))
}

// Rule: a target that demands a client certificate is shown the one that the subscription names, and what is wrong with it is said plainly.
func TestATargetIsShownACertificate(t *testing.T) {
	t.Parallel()
	ours, others := newSigner(t), newSigner(t)
	known := x509.NewCertPool()
	known.AddCert(ours.cert)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
		}))
		server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known, MinVersion: version, MaxVersion: version}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		trusted := x509.NewCertPool()
		trusted.AddCert(server.Certificate())
		host := strings.TrimPrefix(server.URL, "https://")
		good, key := ours.client(t, time.Now().Add(time.Hour))
		foreign, foreignKey := others.client(t, time.Now().Add(time.Hour))
		over, overKey := ours.client(t, time.Now().Add(-time.Hour))
		secrets := map[string]string{"good": good, "key": key, "foreign": foreign, "foreign-key": foreignKey, "over": over, "over-key": overKey}
		for _, one := range []struct{ cert, key, says string }{
			{"good", "key", ""},
			{"", "", "as one that demands a client certificate does"},
			{"foreign", "foreign-key", "the target refuses the client certificate foreign"},
			{"good", "foreign-key", "are no client certificate with its key"},
			{"over", "over-key", "the client certificate over (CN=kintsugi) ended on "},
			{"gone", "key", "the vault has no secret gone for " + host},
		} {
			p := newPlace(t)
			sinks := p.sinks()
			sinks.RootCAs = trusted
			sinks.Named = func(_ context.Context, _, name, of string) (string, bool, error) {
				value, is := secrets[name]
				return value, is && of == host, nil
			}
			sink, err := sinks.Open("chat", subscription.Definition{Target: "webhook:" + server.URL, AllowPrivate: true, ClientCertificate: one.cert, ClientKey: one.key})
			require.NoError(t, err)
			answer, err := sink.Send(t.Context(), tell(t, "w", workflow.QuestionAsked{Text: "Net?"}))
			sink.Close()
			if one.says == "" {
				require.NoError(t, err)
				require.Equal(t, "kintsugi", answer.Body)
				continue
			}
			require.ErrorContains(t, err, one.says, "%x", version)
		}
	}
}

// tokens is a provider that gives tokens to whoever has the secret.
func tokens(t *testing.T, lasts time.Duration) (url string, given *atomic.Int64) {
	t.Helper()
	given = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, basic := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		if !basic || id != "sender" || secret != "s3cret" || r.FormValue("grant_type") != "client_credentials" {
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_client", "error_description": "no such client"})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("t", given.Add(1), r.FormValue("scope"), r.FormValue("audience")), "token_type": "Bearer", "expires_in": lasts.Seconds()})
	}))
	t.Cleanup(server.Close)
	return server.URL, given
}

// Rule: a webhook is shown a token, one for many events; one that is refused is replaced once, one that ends before it does; and who gives none is
// said in the ledger.
func TestAWebhookIsShownAToken(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name, secret string
		lasts        time.Duration
		good         func(shown string) bool
		given        int64
		says         string
	}{
		{name: "kept", secret: "s3cret", lasts: time.Hour, good: func(shown string) bool { return shown == "Bearer t1events you" }, given: 1},
		{name: "taken back", secret: "s3cret", lasts: time.Hour, good: func(shown string) bool { return strings.HasPrefix(shown, "Bearer t2") }, given: 2},
		{name: "ends", secret: "s3cret", lasts: time.Second, good: func(string) bool { return true }, given: 3},
		{name: "refused", secret: "s3cret", lasts: time.Hour, good: func(string) bool { return false }, says: "so it did with a new token of"},
		{name: "wrong secret", secret: "wrong", lasts: time.Hour, says: `gives no token: it answered 401, and said "invalid_client no such client"`},
		{name: "no secret", lasts: time.Hour, says: "the vault has no secret idp for "},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			at, given := tokens(t, one.lasts)
			p := newPlace(t)
			came := new(atomic.Int64)
			target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !one.good(r.Header.Get("Authorization")) {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				came.Add(1)
			}))
			defer target.Close()
			config := p.config(p.groups)
			config.Sinks.Named = func(_ context.Context, _, _, host string) (string, bool, error) {
				return one.secret, one.secret != "" && "http://"+host == at, nil
			}
			p.subscribe(func(a *subscription.Add) {
				a.Target = "webhook:" + target.URL
				a.OAuth = &subscription.OAuth{TokenURL: at, ClientID: "sender", Secret: "idp", Scopes: []string{"events"}, Audience: " you"}
			})
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			ended := make(chan error, 1)
			go func() { ended <- publisher.New(config).Run(ctx) }()
			defer func() { stop(); require.NoError(t, <-ended) }()
			p.grow(2, "w")
			if one.says == "" {
				p.eventually(func() bool { return came.Load() == 3 }, "all come")
				require.Equal(t, one.given, given.Load())
				return
			}
			p.eventually(func() bool { return len(p.attempts(watermillsub.AttemptQuery{Failed: true})) > 0 }, "it was tried")
			failed := p.attempts(watermillsub.AttemptQuery{Failed: true})[0].Error
			require.Contains(t, failed, one.says)
			require.NotContains(t, failed, "wrong")
		})
	}
}
