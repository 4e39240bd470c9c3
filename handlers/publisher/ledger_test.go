package publisher_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

// attempts are what the ledger has of the subscription, the oldest first.
func (p *place) attempts(q watermillsub.AttemptQuery) []watermillsub.Attempt {
	p.t.Helper()
	q.Of, q.Limit = "chat", 1000
	found, err := p.groups.Attempts(p.t.Context(), q)
	require.NoError(p.t, err)
	for i := range len(found) / 2 {
		found[i], found[len(found)-1-i] = found[len(found)-1-i], found[i]
	}
	return found
}

// Rule: each try is in the ledger, with the event, which try it was, what came back, and the next try where there is one: on each
// backend, and for those to come that are begun by another node.
func TestEachTryIsInTheLedger(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"sqlite", "postgres"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			p := newPlaceOn(t, backend)
			refused := 0
			p.got.answers(func(w http.ResponseWriter, one delivered) bool {
				if one.Sequence != "1" || refused == 4 {
					w.WriteHeader(http.StatusAccepted)
					_, _ = w.Write([]byte("thanks for " + one.ID))
					return true
				}
				refused++
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = w.Write([]byte("not\x00 now"))
				return false
			})
			p.subscribe(nil)
			stop, _ := p.node()
			p.grow(2, "w")
			p.eventually(func() bool { return refused >= 2 }, "it was refused")
			stop()
			p.node()
			taken := func() (ids map[string]bool) {
				ids = map[string]bool{}
				for _, one := range p.attempts(watermillsub.AttemptQuery{}) {
					ids[one.Event] = ids[one.Event] || one.Error == ""
				}
				return ids
			}
			ids := p.logged()["w"]
			p.eventually(func() bool { now := taken(); return now[ids[0]] && now[ids[1]] && now[ids[2]] }, "all are noted")

			var nths []int
			for _, one := range p.attempts(watermillsub.AttemptQuery{Failed: true}) {
				require.Equal(t, ids[1], one.Event)
				require.Equal(t, "workflow-w", one.Stream)
				require.Equal(t, int64(1), one.Revision)
				require.Equal(t, "IntentChanged", one.Type)
				require.False(t, one.Next.Before(one.At), "it is tried again")
				nths = append(nths, one.Nth)
				if one.Status == 0 {
					continue // it was under way when the node ended
				}
				require.Equal(t, http.StatusServiceUnavailable, one.Status)
				require.Contains(t, one.Error, "answered 503")
				require.Equal(t, "not\uFFFD now", one.Answer)
			}
			require.Equal(t, 1, nths[0])
			require.Greater(t, nths[len(nths)-1], 2, "the next node counts on: %v", nths)
			for i, one := range p.attempts(watermillsub.AttemptQuery{}) {
				if one.Error != "" {
					continue
				}
				require.Equal(t, http.StatusAccepted, one.Status, i)
				require.Equal(t, "thanks for "+one.Event, one.Answer)
				require.Zero(t, one.Next)
			}
		})
	}
}

// Rule: the last try of an event that is given up has no next one, and what is done by hand is in the ledger as such.
func TestTheLedgerSaysWhatWasGivenUp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.got.answers(refuse(http.StatusInternalServerError))
	p.subscribe(func(a *subscription.Add) { a.GiveUpSeconds = 1 })
	p.node()
	p.grow(0, "w")
	p.eventually(func() bool { return p.state().Open() == 1 }, "it is given up")
	letter := p.state().Letters[p.logged()["w"][0]]
	p.eventually(func() bool {
		all := p.attempts(watermillsub.AttemptQuery{})
		return len(all) > 0 && all[len(all)-1].Nth == letter.Attempts
	}, "each try")
	all := p.attempts(watermillsub.AttemptQuery{})
	require.GreaterOrEqual(t, len(all), letter.Attempts)
	for _, one := range all {
		require.Equal(t, one.Nth == letter.Attempts, one.Next.IsZero(), "try %d of %d", one.Nth, letter.Attempts)
	}
}

// Rule: a person has all tried at once that waits for its next try, however long the receiver asked to wait.
func TestWhatFailedIsTriedAtOnceWhenAPersonSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.got.answers(func(w http.ResponseWriter, _ delivered) bool {
		w.Header().Set("Retry-After", strconv.Itoa(int((20 * time.Hour).Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		return false
	})
	p.subscribe(nil)
	p.node()
	p.grow(0, "a", "b")
	p.eventually(func() bool { return len(p.attempts(watermillsub.AttemptQuery{Failed: true})) == 2 }, "both were refused")
	require.Greater(t, time.Until(p.attempts(watermillsub.AttemptQuery{})[0].Next), time.Hour)
	p.got.answers(nil)
	_, err := p.commands.AskForRedelivery(context.WithoutCancel(t.Context()), "chat", subscription.Redeliver{Since: time.Now().Add(-time.Hour)}, ann)
	require.NoError(t, err)
	p.eventually(func() bool { return count(p.got.first()) == 2 }, "both come")
}

// Rule: before an event is a dead letter it is said that the target takes nothing, once, and to other subscriptions that want to know;
// it is over when events are taken again, also in the life of another node. No subscription is told of itself.
func TestASubscriptionThatFailsIsTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	refuses := atomic.Bool{}
	refuses.Store(true)
	var own atomic.Int64
	p.got.answers(func(w http.ResponseWriter, one delivered) bool {
		if strings.HasPrefix(one.Subject, subscription.SubjectPrefix) {
			own.Add(1)
		}
		if refuses.Load() && one.PartitionKey == "w" {
			w.WriteHeader(http.StatusInternalServerError)
			return false
		}
		return true
	})
	watcher := newReceiver(t)
	both := subscription.Definition{Target: "webhook:" + p.got.URL, AllowPrivate: true, GiveUpSeconds: 4, Types: append([]string{workflow.TypeWorkflowCreated}, subscription.ForOthers...)}
	_, err := p.commands.AddSubscription(t.Context(), "chat", subscription.Add{Definition: both}, ann)
	require.NoError(t, err)
	both.Target, both.Types = "webhook:"+watcher.URL, subscription.ForOthers
	_, err = p.commands.AddSubscription(t.Context(), "watch", subscription.Add{Definition: both}, ann)
	require.NoError(t, err)
	stop, _ := p.node()
	p.grow(0, "w")
	p.eventually(func() bool { return len(watcher.taken()) == 1 }, "others are told")
	require.Zero(t, p.state().Open(), "while there is time")
	p.grow(0, "other")
	p.eventually(func() bool { return len(p.got.first()["other"]) == 1 }, "another workflow comes")
	require.NotNil(t, p.state().Failing, "one that is taken is not all")
	p.eventually(func() bool { return p.state().Open() == 1 }, "it is given up")
	stop()
	refuses.Store(false)
	p.node()
	p.grow(0, "third")
	p.eventually(func() bool { return len(watcher.taken()) == 2 }, "and that it is over")
	types := []string{watcher.taken()[0].Type, watcher.taken()[1].Type}
	require.Equal(t, []string{"kintsugi.SubscriptionFailing", "kintsugi.SubscriptionRecovered"}, types)
	require.Equal(t, "subscription:chat", watcher.taken()[0].Subject)
	require.Contains(t, watcher.taken()[0].Data["reason"], "answered 500")
	require.Zero(t, own.Load())
}

// Rule: a subscription that is changed goes on where it was, at its new target and with its key; nothing is left out, and what failed is
// tried at once.
func TestAChangedSubscriptionGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	refuses := atomic.Bool{}
	p.got.answers(func(w http.ResponseWriter, _ delivered) bool {
		if refuses.Load() {
			w.Header().Set("Retry-After", "80000")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return !refuses.Load()
	})
	p.subscribe(nil)
	p.node()
	p.grow(2, "w")
	p.eventually(func() bool { return len(p.got.first()["w"]) == 3 }, "the first target takes them")
	refuses.Store(true)
	p.grow(2, "w")
	p.eventually(func() bool { return len(p.attempts(watermillsub.AttemptQuery{Failed: true})) == 1 }, "it takes no more")
	other := newReceiver(t)
	target := "webhook:" + other.URL
	_, err := p.commands.ChangeSubscription(t.Context(), "chat", subscription.Change{Target: &target}, ann)
	require.NoError(t, err)
	p.eventually(func() bool { return len(other.first()["w"]) == 2 }, "the other one does")
	require.Equal(t, p.logged()["w"], append(p.got.first()["w"], other.first()["w"]...))
}
