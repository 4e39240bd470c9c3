package kurrentlog_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string // its certificate
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "ca.crt")}
	der, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)
	var err error
	a.certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.key = key
	writePEM(t, a.file, "CERTIFICATE", der)
	return a
}

func sign(t testing.TB, template *x509.Certificate, by *authority) (der []byte, key *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der, err = x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	return der, key
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// leaf signs a certificate of 127.0.0.1.
func (a *authority) leaf(t testing.TB) tls.Certificate {
	t.Helper()
	der, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// files writes a certificate and its key as files.
func files(t testing.TB, certificate tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "user.crt"), filepath.Join(dir, "user.key")
	writePEM(t, certFile, "CERTIFICATE", certificate.Certificate[0])
	der, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	writePEM(t, keyFile, "PRIVATE KEY", der)
	return certFile, keyFile
}

// A server is talked to if its certificate is signed by the authority of the connection string, and gets the
// credentials of the connection string. A client without access soon learns what to correct.
func TestSecurity(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	withTLS := func(config *esdbapi.Config) {
		config.TLS = &tls.Config{Certificates: []tls.Certificate{ours.leaf(t)}, MinVersion: tls.VersionTLS12}
	}
	secure := startServer(t, withTLS, func(config *esdbapi.Config) {
		config.NodeCredential, config.ClientCredential = "node:s3cret%!", "reader:letmein"
		config.OwnStream = func(stream string) bool { return strings.HasPrefix(stream, "own-") }
	})
	mutual := startServer(t, withTLS, func(config *esdbapi.Config) {
		authorities := x509.NewCertPool()
		authorities.AddCert(ours.certificate)
		config.TLS.ClientCAs, config.TLS.ClientAuth = authorities, tls.RequireAndVerifyClientCert
	})
	plain := startServer(t)
	certFile, keyFile := files(t, ours.leaf(t))
	wrongFile, wrongKeyFile := files(t, theirs.leaf(t))

	for name, connection := range map[string]string{
		"own authority":      "esdb://node:s3cret%25!@" + secure.address + "?tlsCAFile=" + ours.file,
		"any certificate":    "esdb://node:s3cret%25!@" + secure.address + "?tlsVerifyCert=false",
		"client certificate": "kurrentdb://" + mutual.address + "?tlsCAFile=" + ours.file + "&userCertFile=" + certFile + "&userKeyFile=" + keyFile,
		"unused credentials": "esdb://admin:changeit@" + plain.address + "?tls=false",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := open(t, connection, kurrentlog.Options{})
			_, err := log.Append(t.Context(), "own-"+strings.ReplaceAll(name, " ", "-"), eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
			require.NoError(t, err)
		})
	}
	for name, c := range map[string]struct{ connection, want string }{
		"no credentials":               {secure.address + "?tlsCAFile=" + ours.file, "give user:password@ before the host"},
		"wrong password":               {"node:wrong@" + secure.address + "?tlsCAFile=" + ours.file, "does not take the credentials of node; correct user and password"},
		"unknown authority":            {"node:s3cret%25!@" + secure.address + "?tlsCAFile=" + theirs.file, "check tls, tlsCAFile"},
		"authorities of the machine":   {"node:s3cret%25!@" + secure.address, "check tls, tlsCAFile"},
		"TLS to a server without":      {plain.address, "check tls, tlsCAFile"},
		"no client certificate":        {mutual.address + "?tlsCAFile=" + ours.file, "check tls, tlsCAFile"},
		"foreign client certificate":   {mutual.address + "?tlsCAFile=" + ours.file + "&userCertFile=" + wrongFile + "&userKeyFile=" + wrongKeyFile, "check tls, tlsCAFile"},
		"no TLS to a server with it":   {secure.address + "?tls=false", "that tls is as it is there"},
		"client key without its file":  {mutual.address + "?userCertFile=" + certFile + "&userKeyFile=/none", "userCertFile and userKeyFile"},
		"a file that is no client key": {mutual.address + "?userCertFile=" + certFile + "&userKeyFile=" + certFile, "userCertFile and userKeyFile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := kurrentlog.Options{Patience: time.Hour}
			if name == "no TLS to a server with it" { // which looks as if it were busy starting
				options.Patience = 100 * time.Millisecond
			}
			_, err := kurrentlog.Open(t.Context(), "esdb://"+c.connection, options)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
	t.Run("not allowed", func(t *testing.T) {
		t.Parallel()
		log := open(t, "esdb://reader:letmein@"+secure.address+"?tlsCAFile="+ours.file, kurrentlog.Options{})
		_, err := log.Append(t.Context(), "own-1", eventlog.NoStream{}, []eventlog.Event{newEvent("1")})
		require.ErrorContains(t, err, "does not let this user do it")
	})
}
