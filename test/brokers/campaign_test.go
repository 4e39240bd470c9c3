package brokers_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := pgtest.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// `make brokers`: three servers on one PostgreSQL tell a webhook that refuses one in ten, half of which it has taken, and
// each broker, which is restarted; twelve times a server is killed with SIGKILL and begins again. At the end everybody has
// everything, in the order of each workflow, and what came twice has the same id.
func TestDeliveryCampaign(t *testing.T) {
	program := os.Getenv("KINTSUGI_PROGRAM")
	if program == "" {
		return // in `make test` the nodes of handlers/publisher do the same with a webhook
	}
	const each, kills, restarts = 40, 12, 3
	keys := workflows(200)
	dir, url := t.TempDir(), pgtest.Database(t)
	log, err := pglog.Open(t.Context(), url, pglog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	kintsugi := func(node string, args ...string) *exec.Cmd {
		command := exec.CommandContext(context.WithoutCancel(t.Context()), program, append(args, "--store", url, "--data-dir", filepath.Join(dir, node))...)
		command.Env = append(os.Environ(), "HOME="+dir, "KINTSUGI_SECRET_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
		command.Stderr = t.Output()
		return command
	}
	subscribe := func(name, target string) {
		t.Helper()
		require.NoError(t, kintsugi("n0", "subscription", "add", name, "--to", target, "--from", "start", "--allow-private").Run(), name)
	}
	p := newPlace(log, nil)
	ann := commands.Meta{Actor: "person:ann"}
	for _, key := range keys {
		_, err := p.commands.CreateWorkflow(t.Context(), workflow.Create{ID: key, Title: key, Owner: "ann"}, ann)
		require.NoError(t, err)
	}
	hook := newHook(t)
	hook.answer = func() (bool, int) {
		if rand.IntN(10) > 0 {
			return true, http.StatusOK
		}
		return rand.IntN(2) == 0, http.StatusServiceUnavailable
	}
	subscribe("webhook", "webhook:"+hook.URL)
	receivers := map[string]broker{}
	for name, start := range brokers() {
		one := start(t)
		one.start(t)
		receivers[name] = one
		address, secret := one.target()
		target, err := neturl.Parse(address)
		require.NoError(t, err)
		target.User = neturl.UserPassword(target.User.Username(), secret)
		subscribe(name, target.String())
	}
	var working sync.WaitGroup
	for _, key := range keys {
		working.Go(func() {
			for i := range each {
				if _, err := p.commands.ChangeIntent(t.Context(), key, workflow.ChangeIntent{Intent: fmt.Sprint(i)}, ann); err != nil {
					t.Error(err)
					return
				}
				pause(50 * time.Millisecond)
			}
		})
	}
	for _, one := range receivers {
		working.Go(func() {
			for range restarts {
				pause(4 * time.Second)
				one.stop(t)
				pause(time.Second)
				one.start(t)
			}
		})
	}
	serve := func(node string) (kill func()) {
		server := kintsugi(node, "serve", "--node-id", node, "--listen", "", "--log-level", "error", "--quiet")
		server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, server.Start())
		kill = sync.OnceFunc(func() {
			_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
			var killed *exec.ExitError
			require.ErrorAs(t, server.Wait(), &killed)
			require.Equal(t, syscall.SIGKILL, killed.Sys().(syscall.WaitStatus).Signal(), "%s ended by itself", node)
		})
		t.Cleanup(kill)
		return kill
	}
	var servers []func()
	for i := range 3 {
		servers = append(servers, serve(fmt.Sprint("n", i)))
	}
	for range kills {
		pause(2 * time.Second)
		victim := rand.IntN(len(servers))
		servers[victim]()
		servers[victim] = serve(fmt.Sprint("n", victim))
	}
	working.Wait()
	want := p.logged(t)
	total := count(want)
	require.Equal(t, len(keys)*(each+1), total)
	complete := func(name string, all func() []received) {
		require.Eventually(t, func() bool { return count(first(all())) == total }, 5*time.Minute, time.Second, name)
		got := all()
		require.Equal(t, want, first(got), name)
		t.Logf("%s: %d events, 0 missing, 0 out of order, %d came twice with the same id", name, total, len(got)-total)
	}
	complete("webhook", hook.all)
	for name, one := range receivers {
		complete(name, func() []received { return one.all(t) })
	}
}

// pause lets about so much time pass: what happens meanwhile is what is tested, and when does not matter.
func pause(about time.Duration) {
	<-time.After(time.Duration(float64(about) * (0.5 + rand.Float64())))
}

func count(of map[string][]string) int {
	n := 0
	for _, ids := range of {
		n += len(ids)
	}
	return n
}
