package kurrentlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"google.golang.org/grpc"
)

// errNodeClosed says that a node was left while a call was on its way to it.
var errNodeClosed = errors.New("kurrentlog: the connection was left for another")

// cluster knows the node to talk to: the only one, or the leader of several.
type cluster struct {
	*address
	options []grpc.DialOption
	logger  *slog.Logger

	turn    chan struct{} // holds one token: for the one goroutine that looks for a node, or at it
	current *node         // nil if none was found yet, or it was lost
	closed  bool
}

func newCluster(a *address, logger *slog.Logger) (*cluster, error) {
	options, err := dialOptions(a)
	if err != nil {
		return nil, err
	}
	c := &cluster{address: a, options: options, logger: logger, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c, nil
}

// take waits for the turn.
func (c *cluster) take(ctx context.Context) error {
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *cluster) give() { c.turn <- struct{}{} }

// node gives the node to talk to, after looking for it if need be. Nothing has to be listening at its address.
func (c *cluster) node(ctx context.Context) (*node, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	defer c.give()
	if c.closed {
		return nil, errNodeClosed
	}
	if c.current != nil {
		return c.current, nil
	}
	where := c.hosts[0]
	if c.discover {
		var err error
		if where, err = c.leader(ctx); err != nil {
			return nil, err
		}
	}
	return c.use(where)
}

func (c *cluster) use(where string) (*node, error) {
	found, err := newNode(where, c.options)
	if err != nil {
		return nil, err
	}
	c.logger.Info("kurrentlog: a node is used", "address", where)
	c.current = found
	return found, nil
}

// leave is called after a call to a node failed. The node is left if it says who leads instead of it, or if the
// hosts can be asked who leads now. A connection that only broke mends itself.
func (c *cluster) leave(ctx context.Context, left *node, leader string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	defer c.give()
	if c.closed || c.current != left || leader == left.address {
		return nil // somebody else was here first
	}
	switch {
	case leader != "":
		if _, err := c.use(leader); err != nil {
			return err
		}
	case c.discover, left.address != c.hosts[0]:
		c.current = nil
	default:
		return nil
	}
	return left.close()
}

func (c *cluster) close() error {
	<-c.turn
	defer c.give()
	c.closed = true
	if c.current == nil {
		return nil
	}
	return c.current.close()
}

// leader asks the hosts, in any order, who leads.
func (c *cluster) leader(ctx context.Context) (string, error) {
	hosts := slices.Clone(c.hosts)
	rand.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	var failures []error
	for _, host := range hosts {
		leader, err := c.ask(ctx, host)
		if err == nil {
			return leader, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", host, err))
	}
	return "", &noLeaderError{errors.Join(failures...)}
}

func (c *cluster) ask(ctx context.Context, host string) (leader string, err error) {
	conn, err := grpc.NewClient(host, c.options...)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.GossipTimeout)*time.Second)
	defer cancel()
	info, err := gossip.NewGossipClient(conn).Read(ctx, &shared.Empty{})
	if err != nil {
		return "", err
	}
	for _, member := range info.GetMembers() {
		if at := member.GetHttpEndPoint(); member.GetState() == gossip.MemberInfo_Leader && member.GetIsAlive() {
			return net.JoinHostPort(at.GetAddress(), strconv.FormatUint(uint64(at.GetPort()), 10)), nil
		}
	}
	return "", fmt.Errorf("it knows %d nodes and no leader among them", len(info.GetMembers()))
}

// noLeaderError says that no host could tell who leads.
type noLeaderError struct{ err error }

func (e *noLeaderError) Error() string { return "no host tells who leads: " + e.err.Error() }
func (e *noLeaderError) Unwrap() error { return e.err }
