package pglog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Clock is what time it is on the server: leases and schedules of nodes are only as good as their clocks agree.
func (l *Log) Clock(ctx context.Context) (now time.Time, err error) {
	err = l.read(ctx, "ask for the time", func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	})
	return now, err
}
