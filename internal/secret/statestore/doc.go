// Package statestore keeps what belongs to an installation and is not made from its event log:
// secrets, how far subscribers are, and what became of the last deliveries to them. It is in an SQLite file beside an embedded log, and in PostgreSQL for several nodes, so that
// each node has what was set on another. Unlike views it is never rebuilt.
//
//	store, err := statestore.OpenPostgres(ctx, "postgres://kintsugi@db/kintsugi", logger)
//	secrets := vault.New(store, key)
package statestore
