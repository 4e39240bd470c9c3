package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// eventstoreFlags say whether, where and to whom the log is served over the protocol of EventStoreDB.
type eventstoreFlags struct {
	listen      string
	advertise   string
	allowAppend bool
	cert, key   string
	clientCA    string
	nodeFile    string
	clientFile  string
}

// The credentials, where no file is named. They are no flags: other users see a command line.
const (
	nodeCredentialVariable   = "KINTSUGI_EVENTSTORE_NODE_CREDENTIAL"
	clientCredentialVariable = "KINTSUGI_EVENTSTORE_CLIENT_CREDENTIAL"
)

func (f *eventstoreFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "eventstore-listen", "", "serve the log to EventStoreDB clients at this host:port (127.0.0.1:2113); off by default")
	flags.StringVar(&f.advertise, "eventstore-advertise", "", "the host:port at which clients reach it, if it is another one")
	flags.BoolVar(&f.allowAppend, "eventstore-allow-append", false, "let clients append to streams that are not Kintsugi's own")
	flags.StringVar(&f.cert, "eventstore-tls-cert", "", "certificate file (PEM), with --eventstore-tls-key")
	flags.StringVar(&f.key, "eventstore-tls-key", "", "key file of the certificate")
	flags.StringVar(&f.clientCA, "eventstore-tls-client-ca", "", "clients need a certificate of these authorities (PEM)")
	flags.StringVar(&f.nodeFile, "eventstore-node-credential-file", "", "what other nodes show to append to Kintsugi's own streams (env "+nodeCredentialVariable+")")
	flags.StringVar(&f.clientFile, "eventstore-client-credential-file", "", "what every client has to show: user:password, or a token (env "+clientCredentialVariable+")")
}

// validate refuses what has no meaning without a listener.
func (f *eventstoreFlags) validate() error {
	if f.listen != "" {
		if (f.cert == "") != (f.key == "") {
			return fault.New(fault.Invalid, "--eventstore-tls-cert and --eventstore-tls-key go together")
		}
		if f.clientCA != "" && f.cert == "" {
			return fault.New(fault.Invalid, "--eventstore-tls-client-ca needs --eventstore-tls-cert and --eventstore-tls-key")
		}
		return nil
	}
	if f.advertise+f.cert+f.key+f.clientCA+f.nodeFile+f.clientFile != "" || f.allowAppend {
		return fault.New(fault.Invalid, "the other --eventstore flags need --eventstore-listen, which says where")
	}
	return nil
}

// open takes the port, so that the server does not start without it.
func (f *eventstoreFlags) open(ctx context.Context) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fault.New(fault.Conflict, "another program listens on %s already: stop it, or give --eventstore-listen another port", f.listen)
	case errors.Is(err, syscall.EACCES):
		return nil, fault.New(fault.Forbidden, "listening on %s is not allowed: give --eventstore-listen a port from 1024 on", f.listen)
	case err != nil:
		return nil, fault.New(fault.Invalid, "--eventstore-listen %s: %w; write host:port, such as 127.0.0.1:2113", f.listen, err)
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() && !f.guarded() {
		return nil, errors.Join(fault.New(fault.Invalid, "other machines reach %s, and could read everything: listen on 127.0.0.1, or give "+
			"--eventstore-tls-cert and --eventstore-tls-key with --eventstore-tls-client-ca or --eventstore-client-credential-file", f.listen), listener.Close())
	}
	return listener, nil
}

// guarded says that only those read the log who may.
func (f *eventstoreFlags) guarded() bool {
	return f.cert != "" && (f.clientCA != "" || f.clientFile != "" || os.Getenv(clientCredentialVariable) != "")
}

// server makes the server of a log.
func (f *eventstoreFlags) server(n *app.Node) (*esdbapi.Server, error) {
	config := esdbapi.Config{
		Log: n.Log, Logger: n.Logger, OwnStream: app.ReservedStream, CheckOwn: n.Commands.CheckAppend, AllowAppend: f.allowAppend, Advertise: f.advertise, Now: n.Now,
	}
	var err error
	if config.NodeCredential, err = credential(f.nodeFile, nodeCredentialVariable); err != nil {
		return nil, err
	}
	if config.ClientCredential, err = credential(f.clientFile, clientCredentialVariable); err != nil {
		return nil, err
	}
	if config.TLS, err = f.tls(); err != nil {
		return nil, err
	}
	server, err := esdbapi.New(config)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--eventstore-listen: %w", err)
	}
	return server, nil
}

// credential reads a secret from a file, or from the environment.
func credential(file, variable string) (string, error) {
	if file == "" {
		text := os.Getenv(variable)
		if text != "" && strings.TrimSpace(text) == "" {
			return "", fault.New(fault.Invalid, "%s is blank: set it to user:password or a token, or not at all", variable)
		}
		return text, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fault.New(fault.Invalid, "read the credential: %w", err)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return "", fault.New(fault.Invalid, "the credential file %s is empty: write user:password or a token into it", file)
	}
	return text, nil
}

func (f *eventstoreFlags) tls() (*tls.Config, error) {
	if f.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--eventstore-tls-cert: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if f.clientCA != "" {
		pem, err := os.ReadFile(f.clientCA)
		if err != nil {
			return nil, fault.New(fault.Invalid, "--eventstore-tls-client-ca: %w", err)
		}
		config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, fault.New(fault.Invalid, "--eventstore-tls-client-ca: %s has no certificate in PEM form", f.clientCA)
		}
	}
	return config, nil
}

// says is the line for people.
func (f *eventstoreFlags) says(address net.Addr) string {
	url, may := "esdb://"+address.String(), "read"
	if f.cert == "" {
		url += "?tls=false"
	}
	if f.allowAppend {
		may = "read, and append to streams of their own"
	}
	return fmt.Sprintf("EventStoreDB clients reach the log at %s and may %s.", url, may)
}
