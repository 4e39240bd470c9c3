// Package brokers_test holds each sink that is a server of its own to what all of them promise, on the real thing: NATS in
// this process, Redis and RabbitMQ as Debian has them, and for Kafka franz-go's kfake, which speaks its protocol and keeps
// records in memory. RabbitMQ takes long to begin: `make brokers` has it.
package brokers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// broker is a receiver that was started for a test.
type broker interface {
	// target is the address of a place for events, and the password there.
	target() (address, secret string)
	// nowhere is the address of a place that is not there; empty if every place is made when it is named.
	nowhere() string
	// all is what was received, in the order of each key.
	all(t *testing.T) []received
	stop(t *testing.T)
	// start begins again with what it had; it is called once before.
	start(t *testing.T)
}

type received struct {
	id, key string
	body    []byte
}

// brokers are what there is to start here.
func brokers() map[string]func(t *testing.T) broker {
	all := map[string]func(t *testing.T) broker{"nats": newNATS, "redis": newRedis, "kafka": newKafka}
	if os.Getenv("KINTSUGI_RABBITMQ") != "" {
		all["amqp"] = newRabbitMQ
	}
	return all
}

func onEach(t *testing.T, test func(t *testing.T, b broker)) {
	t.Helper()
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(brokers())) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := brokers()[name](t)
			b.start(t)
			test(t, b)
		})
	}
}

func open(t *testing.T, address, secret string, private bool) publisher.Sink {
	t.Helper()
	sinks := publisher.Sinks{Now: time.Now, Secret: func(context.Context, string, string) (string, bool, error) { return secret, true, nil }}
	sink, err := sinks.Open("chat", subscription.Definition{Target: address, AllowPrivate: private})
	require.NoError(t, err)
	t.Cleanup(sink.Close)
	return sink
}

// events are so many of each workflow.
func events(t testing.TB, each int, keys ...string) map[string][]publisher.Outgoing {
	t.Helper()
	all := map[string][]publisher.Outgoing{}
	for _, key := range keys {
		for i := range each {
			metadata, err := json.Marshal(event.Metadata{Subject: "workflow:" + key, RecordedAt: time.Now()})
			require.NoError(t, err)
			out, err := publisher.Encode(eventlog.Record{
				Stream: "workflow-" + key, Revision: int64(i), Position: eventlog.PositionOf(int64(i + 1)),
				Event: eventlog.Event{ID: uuid.NewString(), Type: "IntentChanged", SchemaVersion: 1, Payload: []byte(`{"intent":"` + strconv.Itoa(i) + `"}`), Metadata: metadata},
			}, subscription.Full)
			require.NoError(t, err)
			all[key] = append(all[key], out)
		}
	}
	return all
}

func send(t *testing.T, sink publisher.Sink, out publisher.Outgoing) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := sink.Send(ctx, out)
	return err
}

// first are the ids of each key as they came first.
func first(all []received) map[string][]string {
	seen, ids := map[string]bool{}, map[string][]string{}
	for _, one := range all {
		if !seen[one.id] {
			seen[one.id] = true
			ids[one.key] = append(ids[one.key], one.id)
		}
	}
	return ids
}

func sent(all map[string][]publisher.Outgoing) map[string][]string {
	ids := map[string][]string{}
	for key, list := range all {
		for _, one := range list {
			ids[key] = append(ids[key], one.ID)
		}
	}
	return ids
}

// An acknowledged event is in the broker: whole, with its id and its key, and events with one key in the order in
// which they were sent. An event that is sent twice has the same id.
func TestAnAcknowledgedEventIsInTheBroker(t *testing.T) {
	onEach(t, func(t *testing.T, b broker) {
		address, secret := b.target()
		sink := open(t, address, secret, true)
		keys := []string{"a", "with.dots * and > more", "ü/7", "", "b"}
		all := events(t, 20, keys...)
		var sending sync.WaitGroup
		failed := make(chan error, 2*len(keys)*20)
		for _, list := range all {
			sending.Go(func() {
				for i, one := range list {
					failed <- send(t, sink, one)
					if i%5 == 0 {
						failed <- send(t, sink, one)
					}
				}
			})
		}
		sending.Wait()
		close(failed)
		for err := range failed {
			require.NoError(t, err)
		}
		got := b.all(t)
		require.Equal(t, sent(all), first(got))
		bodies := map[string]string{}
		for _, one := range got {
			bodies[one.id] = string(one.body)
		}
		for _, list := range all {
			for _, one := range list {
				require.Equal(t, string(one.Body), bodies[one.ID])
			}
		}
	})
}

// Nothing is taken by a place that is not there, also not where the broker says yes to that.
func TestNowhereTakesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b broker) {
		if b.nowhere() == "" {
			return
		}
		_, secret := b.target()
		sink := open(t, b.nowhere(), secret, true)
		for _, one := range events(t, 3, "a")["a"] {
			require.Error(t, send(t, sink, one))
		}
	})
}

// A broker that ends takes nothing; once it is back, it does, and has what it took before.
func TestABrokerIsRestarted(t *testing.T) {
	onEach(t, func(t *testing.T, b broker) {
		address, secret := b.target()
		sink := open(t, address, secret, true)
		all := events(t, 20, "a")
		list := all["a"]
		for i, one := range list {
			if i == 10 {
				b.stop(t)
				require.Error(t, send(t, sink, one))
				b.start(t)
			}
			require.Eventually(t, func() bool { return send(t, sink, one) == nil }, time.Minute, 10*time.Millisecond)
		}
		require.Equal(t, sent(all), first(b.all(t)))
	})
}

// A server at an address that is not public is not spoken to, whatever name leads there.
func TestPrivateAddressesAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, b broker) {
		address, secret := b.target()
		for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
			sink := open(t, strings.Replace(address, "127.0.0.1", host, 1), secret, false)
			require.ErrorContains(t, send(t, sink, events(t, 1, "a")["a"][0]), "not a public address", host)
		}
		require.Empty(t, b.all(t))
	})
}

// A wrong password is refused, and nothing of it is in what is said.
func TestAWrongPassword(t *testing.T) {
	onEach(t, func(t *testing.T, b broker) {
		address, _ := b.target()
		err := send(t, open(t, address, "wrong-secret", true), events(t, 1, "a")["a"][0])
		require.Error(t, err)
		require.NotContains(t, err.Error(), "wrong-secret")
		require.Empty(t, b.all(t))
	})
}

// A server that takes connections and says nothing holds nobody longer than the delivery may take.
func TestAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	for _, address := range []string{"nats://%s/events", "kafka://%s/events", "amqp://%s/?queue=q", "redis://%s?stream=s", "smtp://%s?from=a@a.example&to=b@b.example"} {
		t.Run(strings.SplitN(address, ":", 2)[0], func(t *testing.T) {
			sink := open(t, fmt.Sprintf(address, listener.Addr()), "secret", true)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
			require.NoError(t, err)
			_, err = sink.Send(ctx, out)
			require.Error(t, err)
		})
	}
}

// free is a port that nobody listens on.
func free(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
