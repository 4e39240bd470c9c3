// Package sqlitedb is the one place where Kintsugi's files meet the SQLite binding:
// opening a connection, lending read connections, transactions, and telling
// the errors apart that mean something to the caller.
package sqlitedb
