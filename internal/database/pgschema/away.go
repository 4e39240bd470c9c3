package pgschema

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsAway says whether a server could not be reached, or cannot serve for now, so that the same may succeed later: the connection
// was lost, or the server is going down, coming up, full of connections or being replaced by another.
func IsAway(err error) bool {
	fault, said := errors.AsType[*pgconn.PgError](err)
	if !said {
		return isNetwork(err)
	}
	switch fault.Code {
	case "57P01", "57P02", "57P03", "57P05", // shutting down, crashed, starting, idle too long
		"25006",          // a standby, until the name leads to the new primary
		"53300", "53400", // too many connections, limit exceeded
		"58000": // poolers say so when they have lost their server
		return true
	}
	return strings.HasPrefix(fault.Code, "08") // connection exceptions
}

func isNetwork(err error) bool {
	if name, is := errors.AsType[*net.DNSError](err); is && name.IsNotFound {
		return false // a mistake in the address
	}
	_, network := errors.AsType[net.Error](err)
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return network || connecting || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}
