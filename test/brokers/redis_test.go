package brokers_test

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/stretchr/testify/require"
)

// redisBroker is a server of its own that writes everything down.
type redisBroker struct {
	dir     string
	port    int
	running *exec.Cmd
}

func newRedis(t *testing.T) broker {
	r := &redisBroker{dir: t.TempDir(), port: free(t)}
	t.Cleanup(func() { r.stop(t) })
	return r
}

func (r *redisBroker) target() (string, string) {
	return fmt.Sprintf("redis://127.0.0.1:%d/3?stream=fixes&maxlen=100000", r.port), "r-secret"
}

func (r *redisBroker) nowhere() string { return "" }

func (r *redisBroker) start(t *testing.T) {
	r.running = exec.Command("redis-server", "--port", strconv.Itoa(r.port), "--bind", "127.0.0.1", "--dir", r.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--requirepass", "r-secret")
	require.NoError(t, r.running.Start(), "tools/need-redis.sh installs it")
	require.Eventually(t, func() bool {
		over, err := r.connect()
		if err != nil {
			return false
		}
		defer over.Close()
		_, err = over.Do("PING")
		return err == nil
	}, time.Minute, 10*time.Millisecond)
}

func (r *redisBroker) connect() (redis.Conn, error) {
	return redis.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.port), redis.DialPassword("r-secret"), redis.DialDatabase(3))
}

func (r *redisBroker) stop(*testing.T) {
	_ = r.running.Process.Kill()
	_ = r.running.Wait()
}

func (r *redisBroker) all(t *testing.T) []received {
	over, err := r.connect()
	require.NoError(t, err)
	defer over.Close()
	entries, err := redis.Values(over.Do("XRANGE", "fixes", "-", "+"))
	require.NoError(t, err)
	var got []received
	for _, entry := range entries {
		fields, err := redis.StringMap(entry.([]any)[1], nil)
		require.NoError(t, err)
		got = append(got, received{fields["id"], fields["key"], []byte(fields["event"])})
	}
	return got
}
