package sqlitedb

import (
	"context"
	"errors"
	"sync"

	"zombiezen.com/go/sqlite"
)

// ErrPoolClosed is returned by [Pool.Get] after [Pool.Close].
var ErrPoolClosed = errors.New("sqlitedb: pool is closed")

// Pool lends read-only connections to one file. They are opened when first needed,
// so that a short command does not pay for those it never uses.
type Pool struct {
	open   func() (*sqlite.Conn, error)
	slots  chan struct{} // one token for each connection that may still be lent
	closed chan struct{}

	mu   sync.Mutex
	idle []*sqlite.Conn
}

// NewPool makes a pool of at most size connections to the file at path, which must exist
// and have its schema. Prepare, if not nil, is called once for each new connection.
func NewPool(path string, size int, prepare func(*sqlite.Conn) error) *Pool {
	pool := &Pool{slots: make(chan struct{}, size), closed: make(chan struct{})}
	for range size {
		pool.slots <- struct{}{}
	}
	pool.open = func() (*sqlite.Conn, error) {
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite) // WAL readers write to the -shm file
		if err != nil {
			return nil, err
		}
		conn.SetBusyTimeout(BusyTimeout)
		if err = Exec(conn, "PRAGMA query_only = on"); err == nil && prepare != nil {
			err = prepare(conn)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
	return pool
}

// Get lends a connection, waiting for one if all are lent. Queries on it are
// interrupted when ctx ends. It must be given back with [Pool.Put].
func (p *Pool) Get(ctx context.Context) (*sqlite.Conn, error) {
	select {
	case <-p.closed:
		return nil, ErrPoolClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-p.slots:
	case <-p.closed:
		return nil, ErrPoolClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn := p.takeIdle()
	if conn == nil {
		var err error
		if conn, err = p.open(); err != nil {
			p.slots <- struct{}{}
			return nil, err
		}
	}
	conn.SetInterrupt(ctx.Done())
	return conn, nil
}

func (p *Pool) takeIdle() *sqlite.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	conn := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return conn
}

// Put gives a connection back.
func (p *Pool) Put(conn *sqlite.Conn) {
	conn.SetInterrupt(nil)
	p.mu.Lock()
	p.idle = append(p.idle, conn)
	p.mu.Unlock()
	p.slots <- struct{}{}
}

// Closing is closed once [Pool.Close] waits for what is lent.
func (p *Pool) Closing() <-chan struct{} { return p.closed }

// Close waits until all lent connections are back and closes them. It must be called once.
func (p *Pool) Close() error {
	close(p.closed)
	for range cap(p.slots) {
		<-p.slots
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, conn := range p.idle {
		errs = append(errs, conn.Close())
	}
	p.idle = nil
	return errors.Join(errs...)
}
