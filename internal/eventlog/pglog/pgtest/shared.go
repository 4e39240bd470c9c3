package pgtest

import (
	"sync"
	"sync/atomic"
	"testing"
)

// The server that the tests of a package share. It is started by the first that asks for a database.
var (
	shared    = sync.OnceValues(func() (*Server, error) { return start(nil) })
	wasShared atomic.Pointer[Server]
	databases atomic.Int64
)

// Shared gives the server that the tests of this package share. It stops when the test process ends; a
// TestMain that wants it gone before, to look for leaks, calls [StopShared].
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	wasShared.Store(s)
	return s
}

// Database makes an empty database on the shared server and gives its address.
func Database(t testing.TB) string {
	t.Helper()
	return Shared(t).Database(t)
}

// StopShared stops and removes the shared server, if there is one, when all tests have run.
func StopShared() error {
	if s := wasShared.Swap(nil); s != nil {
		return s.remove()
	}
	return nil
}
