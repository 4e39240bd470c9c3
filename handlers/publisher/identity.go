package publisher

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// named is the value of a secret that a subscription names, for a host.
func (s Sinks) named(ctx context.Context, name, secret, host string) (string, error) {
	host = strings.ToLower(host)
	value, found, err := s.Named(ctx, name, secret, host)
	if err == nil && !found {
		err = fmt.Errorf("the vault has no secret %s for %s: 'kintsugi secret set %s --all --host %s' gives it", secret, host, secret, host)
	}
	return value, err
}

// certificate is what a subscription shows a target of itself: a certificate and its key, by the names of secrets.
type certificate struct {
	sinks     Sinks
	name      string // of the subscription
	cert, key string
	host      string
}

// certificateOf gives nil if a subscription shows none.
func (s Sinks) certificateOf(name string, d subscription.Definition, host string) *certificate {
	if d.ClientCertificate == "" {
		return nil
	}
	return &certificate{s, name, d.ClientCertificate, d.ClientKey, host}
}

// config is how a target is spoken to that may ask for a certificate. Each connection reads it anew, so that a new one is taken at once.
func (s Sinks) config(c *certificate, host string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.RootCAs, ServerName: host}
	if c != nil {
		config.GetClientCertificate = func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.read(asked.Context()) }
	}
	return config
}

func (c *certificate) read(ctx context.Context) (*tls.Certificate, error) {
	cert, err := c.sinks.named(ctx, c.name, c.cert, c.host)
	if err != nil {
		return nil, err
	}
	key, err := c.sinks.named(ctx, c.name, c.key, c.host)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, fmt.Errorf("the secrets %s and %s are no client certificate with its key: %s", c.cert, c.key, strings.TrimPrefix(err.Error(), "tls: "))
	}
	if until := pair.Leaf.NotAfter; c.sinks.Now().After(until) {
		return nil, fmt.Errorf("the client certificate %s (%s) ended on %s: 'kintsugi secret set %s --all --host %s' gives the next one", c.cert, pair.Leaf.Subject, until.UTC().Format(time.DateOnly), c.cert, c.host)
	}
	return &pair, nil
}

// explain says of a failed delivery that it is about the certificate, if it is. Nil is who shows none.
func (c *certificate) explain(err error) error {
	refused, is := errors.AsType[*net.OpError](err)
	if !is || refused.Op != "remote error" {
		return err
	}
	// TLS 1.2 has no word of its own for a certificate that is missing.
	about, missing := strings.Contains(refused.Err.Error(), "certificate"), strings.Contains(refused.Err.Error(), "handshake failure")
	switch {
	case c == nil && (about || missing):
		return fmt.Errorf("the target ends the connection as one that demands a client certificate does (--client-cert and --client-key name one): %w", refused.Err)
	case !about:
		return err
	}
	return fmt.Errorf("the target refuses the client certificate %s: %w", c.cert, refused.Err)
}

// bearer gets tokens of a provider, by client credentials, and keeps one until it ends or is refused.
type bearer struct {
	sinks  Sinks
	name   string // of the subscription
	of     subscription.OAuth
	client *http.Client

	mu  sync.Mutex
	now *oauth2.Token
}

// early is how long before its end a token is not used any more.
const early = 10 * time.Second

// token gives a token that is not the one that was refused.
func (b *bearer) token(ctx context.Context, refused string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now != nil && b.now.AccessToken != refused && (b.now.Expiry.IsZero() || b.sinks.Now().Add(early).Before(b.now.Expiry)) {
		return b.now.AccessToken, nil
	}
	b.now = nil
	at, err := url.Parse(b.of.TokenURL)
	if err != nil {
		return "", err
	}
	secret, err := b.sinks.named(ctx, b.name, b.of.Secret, at.Host)
	if err != nil {
		return "", err
	}
	config := clientcredentials.Config{ClientID: b.of.ClientID, ClientSecret: secret, TokenURL: b.of.TokenURL, Scopes: b.of.Scopes}
	if b.of.Audience != "" {
		config.EndpointParams = url.Values{"audience": {b.of.Audience}}
	}
	b.now, err = config.Token(context.WithValue(ctx, oauth2.HTTPClient, b.client))
	if answered, is := errors.AsType[*oauth2.RetrieveError](err); is {
		said := cmp.Or(strings.TrimSpace(answered.ErrorCode+" "+answered.ErrorDescription), "nothing of it")
		return "", fmt.Errorf("%s gives no token: it answered %d, and said %q", at.Host, answered.Response.StatusCode, failure.Cut(said, maxSaid))
	}
	if err != nil {
		if wrapped, is := errors.AsType[*url.Error](err); is {
			err = wrapped.Err
		}
		return "", fmt.Errorf("%s gives no token: %w", at.Host, err)
	}
	return b.now.AccessToken, nil
}
