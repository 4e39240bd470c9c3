package publisher

import (
	"context"
	"net"
	"strconv"

	"github.com/gomodule/redigo/redis"
)

// redisTarget is a stream of Redis. An entry has the fields id, key (the workflow) and event (the CloudEvent). How safe it is there is
// a matter of how Redis is set up.
type redisTarget struct{ target }

// redisIdle is how many connections wait for the next event.
const redisIdle = 4

func (t *redisTarget) connect(ctx context.Context) (connection, error) {
	secret, err := t.secret(ctx)
	if err != nil {
		return nil, err
	}
	query := t.url.Query()
	database, _ := strconv.Atoi(t.path())
	options := []redis.DialOption{
		redis.DialUseTLS(t.url.Scheme == "rediss"), redis.DialTLSConfig(t.tls()), redis.DialDatabase(database), redis.DialClientName("kintsugi"),
		redis.DialUsername(t.url.User.Username()), redis.DialPassword(secret),
		redis.DialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			return t.sinks.dial(t.reach)(ctx, network, address)
		}),
	}
	pool := &redis.Pool{MaxIdle: redisIdle, MaxActive: parallel, Wait: true, DialContext: func(ctx context.Context) (redis.Conn, error) {
		return redis.DialContext(ctx, "tcp", t.host("6379"), options...)
	}}
	c := &redisConnection{pool: pool, before: redis.Args{query.Get("stream")}}
	if most := query.Get("maxlen"); most != "" {
		c.before = c.before.Add("MAXLEN", "~", most)
	}
	return c, nil
}

type redisConnection struct {
	pool   *redis.Pool
	before redis.Args // of what is added: the stream, and how long it may be
}

func (c *redisConnection) send(ctx context.Context, out Outgoing) (string, error) {
	over, err := c.pool.GetContext(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = over.Close() }()
	body, _ := out.Sent()
	id, err := redis.String(redis.DoContext(over, ctx, "XADD", append(append(redis.Args{}, c.before...), "*", "id", out.ID, "key", out.Key, "event", body)...))
	if err != nil {
		return "", err
	}
	return "the stream has it as " + id, nil
}

func (c *redisConnection) close() { _ = c.pool.Close() }
