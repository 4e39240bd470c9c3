package pglog_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a log and its server, and makes the faults of networks.
type proxy struct {
	listener net.Listener
	target   string
	copying  sync.WaitGroup

	mu      sync.Mutex
	conns   map[net.Conn]struct{}
	clients int // that have connected
	refuses bool
	stalls  chan struct{} // nothing passes until this is closed
	eats    bool          // the server's answers
	spares  int           // of these, that pass before
	holds   chan struct{} // the answer is not lost, but waits until this is closed
	eaten   chan struct{}
}

// newProxy starts a proxy in front of the server of an address, and gives the address through it.
func newProxy(t testing.TB, url string) (*proxy, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(url, "@")
	host, database, _ := strings.Cut(rest, "/")
	p := &proxy{listener: listener, target: host, conns: make(map[net.Conn]struct{})}
	p.copying.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
		p.copying.Wait()
	})
	return p, fmt.Sprintf("postgres://postgres@%s/%s", listener.Addr(), database)
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		p.mu.Lock()
		if err != nil || p.refuses {
			_ = client.Close()
			if server != nil {
				_ = server.Close()
			}
			p.mu.Unlock()
			continue
		}
		p.clients++
		p.conns[client], p.conns[server] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.copying.Go(func() { p.forward(server, client, false) })
		p.copying.Go(func() { p.forward(client, server, true) })
	}
}

// forward copies until one side ends, which ends both.
func (p *proxy) forward(to, from net.Conn, answers bool) {
	defer func() {
		_ = to.Close()
		_ = from.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		stalls := p.stalls
		p.mu.Unlock()
		if stalls != nil {
			<-stalls
		}
		if n > 0 && answers && p.eat() {
			return
		}
		if _, writeErr := to.Write(buffer[:n]); writeErr != nil || err != nil {
			return
		}
	}
}

// eat reports whether an answer of the server is lost, with the connection that it came on. It is one answer.
func (p *proxy) eat() bool {
	p.mu.Lock()
	if p.eats && p.spares > 0 {
		p.spares--
		p.mu.Unlock()
		return false
	}
	eats, holds := p.eats, p.holds
	if eats {
		p.eats, p.holds = false, nil
		close(p.eaten)
	}
	p.mu.Unlock()
	if holds != nil {
		<-holds
		return false
	}
	return eats
}

// loseNextAnswer lets the next request through, and loses the answer. The channel is closed when it has.
func (p *proxy) loseNextAnswer() <-chan struct{} { return p.loseAnswerAfter(0) }

// loseAnswerAfter loses the answer after some that pass.
func (p *proxy) loseAnswerAfter(n int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eats, p.spares, p.eaten = true, n, make(chan struct{})
	return p.eaten
}

// holdAnswerAfter holds an answer up after some that pass, until release. The channel is closed when it does.
func (p *proxy) holdAnswerAfter(n int) (held <-chan struct{}, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eats, p.spares, p.eaten, p.holds = true, n, make(chan struct{}), make(chan struct{})
	holds := p.holds
	return p.eaten, sync.OnceFunc(func() { close(holds) })
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// stall lets nothing pass, as a network does that drops packets, until the function it gives is called.
func (p *proxy) stall() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stalls := make(chan struct{})
	p.stalls = stalls
	return sync.OnceFunc(func() { close(stalls) })
}

// seen is how many clients have connected.
func (p *proxy) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients
}

// refuse says whether new connections are ended at once.
func (p *proxy) refuse(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
}
