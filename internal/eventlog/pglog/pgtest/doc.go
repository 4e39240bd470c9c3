// Package pgtest is support for tests: it starts private PostgreSQL servers.
//
//	url := pgtest.Database(t) // an empty database on the server that the tests of a package share
//
// A server lives in a directory of its own, listens on a socket there and on a free port of 127.0.0.1,
// and is stopped and removed when the test process ends, however it ends. Where PostgreSQL is missing the
// test fails and says what to run: it never passes for want of a server.
package pgtest
