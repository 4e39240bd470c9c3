package pglog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const oldestServer = 13_00_00

// examine refuses a server on which acknowledged events could be lost or their order be wrong.
func examine(ctx context.Context, conn *pgx.Conn) error {
	var server struct {
		version                                int
		standby                                bool
		fsync, pages, commit, standbys, coding string
	}
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, pg_is_in_recovery(),
		current_setting('fsync'), current_setting('full_page_writes'),
		current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
		pg_encoding_to_char((SELECT encoding FROM pg_database WHERE datname = current_database()))`).
		Scan(&server.version, &server.standby, &server.fsync, &server.pages, &server.commit, &server.standbys, &server.coding)
	if err != nil {
		return err
	}
	var faults []error
	refuse := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if server.version < oldestServer {
		refuse("the server is PostgreSQL %d; the log needs 13 or newer", server.version/10000)
	}
	if server.standby {
		refuse("the server is a standby (in recovery), which cannot be appended to; connect to the primary, or add target_session_attrs=read-write to the address")
	}
	if server.fsync != "on" {
		refuse("fsync is %s: acknowledged events would be lost, or the database destroyed, when the machine fails; set fsync = on in postgresql.conf", server.fsync)
	}
	if server.pages != "on" {
		refuse("full_page_writes is %s: a page torn by a power cut could not be mended; set full_page_writes = on in postgresql.conf", server.pages)
	}
	switch {
	case server.commit == "off":
		refuse("synchronous_commit is off: events would be acknowledged before they are on disk; set it on, where it was set: postgresql.conf, ALTER ROLE, ALTER DATABASE or the address")
	case server.commit == "local" && server.standbys != "":
		refuse("synchronous_commit is local though there are synchronous standbys (%s): an acknowledged event could be lost with the primary; set it on, where it was set: postgresql.conf, ALTER ROLE, ALTER DATABASE or the address", server.standbys)
	}
	if server.coding != "UTF8" {
		refuse("the encoding of the database is %s; make one with ENCODING 'UTF8'", server.coding)
	}
	return errors.Join(faults...)
}
