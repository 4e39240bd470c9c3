package pglog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// server is what decides whether a server keeps what the log promises.
type server struct {
	version  int // as in server_version_num
	standby  bool
	fsync    string
	pages    string // full_page_writes
	commit   string // synchronous_commit
	standbys string // synchronous_standby_names
	readOnly string // default_transaction_read_only
	encoding string
}

const oldestVersion = 13_00_00

// examine refuses a server on which acknowledged events could be lost or their order be wrong. It gives the id
// of the server process.
func examine(ctx context.Context, conn *pgx.Conn) (pid uint32, err error) {
	var s server
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid(), current_setting('server_version_num')::int, pg_is_in_recovery(),
		current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
		current_setting('synchronous_standby_names'), current_setting('default_transaction_read_only'),
		(SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database())`).
		Scan(&pid, &s.version, &s.standby, &s.fsync, &s.pages, &s.commit, &s.standbys, &s.readOnly, &s.encoding)
	if err != nil {
		return 0, err
	}
	return pid, s.faults()
}

const whereSet = "where it was set: postgresql.conf, ALTER ROLE, ALTER DATABASE or the address"

// faults gives all reasons to refuse a server, each with what to do.
func (s server) faults() error {
	var faults []error
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if s.version < oldestVersion {
		refuse("the server is PostgreSQL %d; the event log needs 13 or newer", s.version/10000)
	}
	if s.standby {
		refuse("the server is a standby, which cannot be written to; connect to the primary, for example by target_session_attrs=read-write in the address")
	}
	if s.fsync != "on" {
		refuse("fsync is %s: when the machine fails, acknowledged events or the whole database would be lost; set fsync = on in postgresql.conf", s.fsync)
	}
	if s.pages != "on" {
		refuse("full_page_writes is %s: a page that a power cut tore could not be mended; set full_page_writes = on in postgresql.conf", s.pages)
	}
	switch {
	case s.commit == "off":
		refuse("synchronous_commit is off: events would be acknowledged before they are on disk; set it on, %s", whereSet)
	case s.commit == "local" && s.standbys != "":
		refuse("synchronous_commit is local, though there are synchronous standbys (%s): acknowledged events could be lost with the primary; set it on, %s", s.standbys, whereSet)
	}
	if s.readOnly == "on" {
		refuse("default_transaction_read_only is on; set it off, %s", whereSet)
	}
	if s.encoding != "UTF8" {
		refuse("the encoding of the database is %s; make one with ENCODING 'UTF8'", s.encoding)
	}
	return errors.Join(faults...)
}
