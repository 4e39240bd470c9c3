package brokers_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/require"
)

// rabbitBroker is a node of its own, with a durable queue that an exchange leads to.
type rabbitBroker struct {
	dir     string
	port    int
	name    string
	running *exec.Cmd
	names   *exec.Cmd // epmd, which the node would start by itself, and leave behind
}

func newRabbitMQ(t *testing.T) broker {
	port := free(t)
	r := &rabbitBroker{dir: t.TempDir(), port: port, name: "kintsugi" + strconv.Itoa(port) + "@localhost"}
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "rabbitmq.conf"), fmt.Appendf(nil,
		"listeners.tcp.default = 127.0.0.1:%d\ndefault_user = ann\ndefault_pass = a-secret\nloopback_users = none\n", port), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "plugins"), []byte("[].\n"), 0o600))
	t.Cleanup(func() { r.stop(t) })
	return r
}

func (r *rabbitBroker) target() (string, string) {
	return fmt.Sprintf("amqp://ann@127.0.0.1:%d/?exchange=fixes", r.port), "a-secret"
}

// nowhere is an exchange that no queue is bound to: the broker confirms what it throws away.
func (r *rabbitBroker) nowhere() string {
	return fmt.Sprintf("amqp://ann@127.0.0.1:%d/?exchange=unbound", r.port)
}

func (r *rabbitBroker) start(t *testing.T) {
	r.names = exec.Command("epmd", "-port", strconv.Itoa(epmd(r.port)), "-address", "127.0.0.1")
	require.NoError(t, r.names.Start())
	require.Eventually(t, func() bool {
		line, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(epmd(r.port)))
		if err == nil {
			_ = line.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	r.running = exec.Command("/usr/lib/rabbitmq/bin/rabbitmq-server")
	r.running.Env = append(os.Environ(), "HOME="+r.dir, "RABBITMQ_NODENAME="+r.name, "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1", "RABBITMQ_CONFIG_FILE="+filepath.Join(r.dir, "rabbitmq"),
		"RABBITMQ_MNESIA_BASE="+filepath.Join(r.dir, "data"), "RABBITMQ_LOG_BASE="+filepath.Join(r.dir, "log"), "RABBITMQ_ENABLED_PLUGINS_FILE="+filepath.Join(r.dir, "plugins"),
		"RABBITMQ_DIST_PORT="+strconv.Itoa(free(t)), "RABBITMQ_PID_FILE="+filepath.Join(r.dir, "pid"), "ERL_EPMD_ADDRESS=127.0.0.1", "RABBITMQ_CONF_ENV_FILE=/dev/null",
		"ERL_EPMD_PORT="+strconv.Itoa(epmd(r.port)))
	r.running.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, r.running.Start(), "tools/need-rabbitmq.sh installs it")
	var over *amqp.Connection
	require.Eventually(t, func() (up bool) {
		var err error
		over, err = amqp.Dial(r.url())
		return err == nil
	}, 2*time.Minute, 100*time.Millisecond)
	defer over.Close()
	channel, err := over.Channel()
	require.NoError(t, err)
	for _, exchange := range []string{"fixes", "unbound"} {
		require.NoError(t, channel.ExchangeDeclare(exchange, "fanout", true, false, false, false, nil))
	}
	_, err = channel.QueueDeclare("fixes", true, false, false, false, nil)
	require.NoError(t, err)
	require.NoError(t, channel.QueueBind("fixes", "", "fixes", false, nil))
}

// epmd has each node find nobody but itself.
func epmd(port int) int { return 20000 + port%10000 }

func (r *rabbitBroker) url() string { return fmt.Sprintf("amqp://ann:a-secret@127.0.0.1:%d/", r.port) }

func (r *rabbitBroker) stop(*testing.T) {
	_ = syscall.Kill(-r.running.Process.Pid, syscall.SIGKILL)
	_ = r.running.Wait()
	_ = r.names.Process.Kill()
	_ = r.names.Wait()
}

func (r *rabbitBroker) all(t *testing.T) []received {
	over, err := amqp.Dial(r.url())
	require.NoError(t, err)
	defer over.Close()
	channel, err := over.Channel()
	require.NoError(t, err)
	var got []received
	for {
		m, more, err := channel.Get("fixes", false)
		require.NoError(t, err)
		if !more {
			return got // which goes back to the queue
		}
		key, _ := m.Headers["partitionkey"].(string)
		got = append(got, received{m.MessageId, strings.Clone(key), m.Body})
	}
}
