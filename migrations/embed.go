// Package migrations holds the SQL that the program carries with it.
package migrations

import "embed"

// Log evolves the schema of the PostgreSQL event log; its files, in the folder log, are run by goose.
//
//go:embed log/*.sql
var Log embed.FS

// State evolves the schema of the state store in PostgreSQL; its files, in the folder state, are run by goose.
//
//go:embed state/*.sql
var State embed.FS
