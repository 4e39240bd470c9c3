package brokers_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/statestore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := pgtest.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// `make brokers`: three nodes on one PostgreSQL tell a webhook that refuses one in ten, half of which it has taken, and
// each broker, which is restarted; twelve times a node is killed and another one begins. At the end everybody has
// everything, in the order of each workflow, and what came twice has the same id.
func TestDeliveryCampaign(t *testing.T) {
	if os.Getenv("KINTSUGI_RABBITMQ") == "" {
		return // in `make test` the nodes of handlers/publisher do the same with a webhook
	}
	const each, kills, restarts = 40, 12, 3
	keys := workflows(200)
	url := pgtest.Database(t)
	log, err := pglog.Open(t.Context(), url, pglog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	groups, err := statestore.OpenPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, groups.Close()) })
	p := newPlace(log, groups)
	hook := newHook(t)
	hook.answer = func() (bool, int) {
		if rand.IntN(10) > 0 {
			return true, http.StatusOK
		}
		return rand.IntN(2) == 0, http.StatusServiceUnavailable
	}
	p.subscribe(t, "webhook", "webhook:"+hook.URL, "")
	receivers := map[string]broker{}
	for name, start := range brokers() {
		one := start(t)
		one.start(t)
		receivers[name] = one
		address, secret := one.target()
		p.subscribe(t, name, address, secret)
	}
	var working sync.WaitGroup
	for _, key := range keys {
		working.Go(func() {
			for range each {
				if _, err := p.append(t.Context(), key); err != nil {
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
	var end []func()
	for range 3 {
		_, kill := p.node(t)
		end = append(end, kill)
	}
	for range kills {
		pause(2 * time.Second)
		victim := rand.IntN(len(end))
		end[victim]()
		_, end[victim] = p.node(t)
	}
	working.Wait()
	want := p.logged(t)
	total := len(keys) * each
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
