package pglog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectTimeout leaves room to say within five seconds that nobody answers.
const connectTimeout = 3 * time.Second

// sessionSettings make a server notice soon that it has lost us, or it would keep our transaction open, which holds all
// readers back; keep it from plans that read all of a table, or sort it, to give us a part in the order of an index;
// and let no transaction fail because of what another did, which the log decides itself.
const sessionSettings = `
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SET default_transaction_isolation = 'read committed'`

// dialer notices soon that a server does not answer any more, not even that the connection is closed.
var dialer = &net.Dialer{
	Timeout:         connectTimeout,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
}

// target is the database that a log is in, known to be fit for one.
type target struct {
	config *pgxpool.Config
	// conn is a first connection, which is not of a pool.
	conn *pgx.Conn
	// behindPooler says that a pooler is between us and the server. Nothing may then depend on
	// the session: no prepared statements, no LISTEN, no settings.
	behindPooler bool
}

// connect finds out about the server, and refuses what would break the promises of the log.
func connect(ctx context.Context, url string) (*target, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// Without the address, which the error names: it may hold a password.
		return nil, fmt.Errorf("the address of the database is not understood, it is to be like postgres://user@host/database: %w", errors.Unwrap(err))
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	config.ConnConfig.DialFunc = dialer.DialContext
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "kintsugi"
	}
	t := &target{config: config}
	// Until it is known that there is no pooler.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, err
	}
	t.conn = conn
	pid, err := examine(ctx, conn)
	if err != nil {
		t.close(ctx)
		return nil, fmt.Errorf("database %q on %s: %w", config.ConnConfig.Database, config.ConnConfig.Host, err)
	}
	// A pooler makes up the number that a client is told when it connects.
	t.behindPooler = pid != conn.PgConn().PID()
	if t.behindPooler {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	} else {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	}
	return t, nil
}

// close closes the first connection.
func (t *target) close(ctx context.Context) {
	// It was given up in any case: that it cannot say goodbye is no news.
	_ = t.conn.Close(context.WithoutCancel(ctx))
}

// pool makes a pool of connections, which know the given calls.
func (t *target) pool(size int32, calls ...*call) (*pgxpool.Pool, error) {
	config := t.config.Copy()
	config.MaxConns, config.MinConns = size, 0
	if !t.behindPooler {
		config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			if _, err := conn.Exec(ctx, sessionSettings, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			for _, c := range calls {
				if _, err := conn.PgConn().Prepare(ctx, c.name, c.sql, c.types); err != nil {
					return err
				}
			}
			return nil
		}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return pool, nil
}
