package kurrentlog

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	// maxMessageBytes is what every official client takes.
	maxMessageBytes = 17 << 20
	// callsPerChannel bounds the calls without end that share a connection. A server allows a connection a number of calls
	// at a time, often 100: subscriptions could leave none for appends.
	callsPerChannel = 64
	// featuresTimeout bounds the question which version a server has.
	featuresTimeout = 5 * time.Second
)

// node is one server and the connections to it. They find themselves back to it when they break.
type node struct {
	address string
	options []grpc.DialOption
	calls   *grpc.ClientConn // for calls that come to an end

	mu       sync.Mutex
	channels []*channel
	closed   bool

	features func() bool
}

// channel is a connection for calls that do not come to an end by themselves.
type channel struct {
	conn *grpc.ClientConn
	used int
}

func newNode(address string, options []grpc.DialOption) (*node, error) {
	conn, err := grpc.NewClient(address, options...)
	if err != nil {
		return nil, fmt.Errorf("kurrentlog: %s: %w", address, err)
	}
	n := &node{address: address, options: options, calls: conn}
	n.features = sync.OnceValue(n.askFeatures)
	return n, nil
}

func (n *node) streams() streams.StreamsClient { return streams.NewStreamsClient(n.calls) }

// channel lends a connection for a call without end.
func (n *node) channel() (client streams.StreamsClient, release func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, nil, errNodeClosed
	}
	var free *channel
	for _, l := range n.channels {
		if l.used < callsPerChannel {
			free = l
			break
		}
	}
	if free == nil {
		conn, err := grpc.NewClient(n.address, n.options...)
		if err != nil {
			return nil, nil, fmt.Errorf("kurrentlog: %s: %w", n.address, err)
		}
		free = &channel{conn: conn}
		n.channels = append(n.channels, free)
	}
	free.used++
	return streams.NewStreamsClient(free.conn), func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		free.used--
	}, nil
}

func (n *node) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	err := n.calls.Close()
	for _, l := range n.channels {
		err = errors.Join(err, l.conn.Close())
	}
	return err
}

// tellsCaughtUp says whether the server tells a subscription when it is live: since version 24. A server without a
// version that is a number is not expected to.
func (n *node) tellsCaughtUp() bool { return n.features() }

func (n *node) askFeatures() bool {
	ctx, cancel := context.WithTimeout(context.Background(), featuresTimeout)
	defer cancel()
	methods, err := serverfeatures.NewServerFeaturesClient(n.calls).GetSupportedMethods(ctx, &shared.Empty{})
	if err != nil {
		return false
	}
	major, _, _ := strings.Cut(methods.GetEventStoreServerVersion(), ".")
	number, err := strconv.Atoi(major)
	return err == nil && number >= 24
}

// dialOptions are those of every connection.
func dialOptions(a *address) ([]grpc.DialOption, error) {
	options := []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: firstPause, Multiplier: 1.6, Jitter: 0.2, MaxDelay: longestPause},
			MinConnectTimeout: a.deadline,
		}),
		grpc.WithDisableServiceConfig(),
		grpc.WithUserAgent("kintsugi"),
	}
	if a.KeepAliveInterval >= 0 {
		options = append(options, grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: a.KeepAliveInterval, Timeout: max(a.KeepAliveTimeout, 0), PermitWithoutStream: true,
		}))
	}
	if a.DisableTLS {
		return append(options, grpc.WithTransportCredentials(insecure.NewCredentials())), nil
	}
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            a.RootCAs,
		InsecureSkipVerify: a.SkipCertificateVerification,
	}
	if a.UserCertFile != "" {
		certificate, err := tls.LoadX509KeyPair(a.UserCertFile, a.UserKeyFile)
		if err != nil {
			return nil, fmt.Errorf("userCertFile and userKeyFile: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	options = append(options, grpc.WithTransportCredentials(credentials.NewTLS(config)))
	if a.Username != "" {
		options = append(options, grpc.WithPerRPCCredentials(basicAuth(a.Username+":"+a.Password)))
	}
	return options, nil
}

// basicAuth is user:password.
type basicAuth string

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (b basicAuth) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(b))}, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials].
func (basicAuth) RequireTransportSecurity() bool { return true }
