package esdbapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// benchEvent is of a usual size: 300 bytes of payload and 150 of metadata, both JSON as ours are.
func benchEvent(n uint64) eventlog.Event {
	text := func(format string, size int) []byte {
		head := fmt.Sprintf(format, n)
		return fmt.Appendf(nil, `%s%*s"}`, head, size-len(head)-2, "x")
	}
	return eventlog.Event{
		ID:            fmt.Sprintf("00000000-0000-7000-8000-%012x", n),
		Type:          "ToolReturned",
		SchemaVersion: 1,
		Payload:       text(`{"number":%d,"text":"`, 300),
		Metadata:      text(`{"schema_version":1,"number":%d,"text":"`, 150),
	}
}

// compared reports how much longer an event takes through the protocol than directly, measured one after the other.
type compared struct{ direct float64 }

func (c *compared) report(b *testing.B, events int, direct bool) {
	each := b.Elapsed().Seconds() / float64(b.N*events)
	b.ReportMetric(1/each, "events/s")
	if direct {
		c.direct = each
	}
	b.ReportMetric(each/c.direct, "x-direct")
}

// BenchmarkAppend measures durable appends of one event by 1, 16 and 256 writers, each on its own stream: directly, by
// one call of Append for each, and all through one call of BatchAppend.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		var ratio compared
		run := func(name string, dial func(b *testing.B, log eventlog.Log) func(writer int, revision int64, event eventlog.Event) error) {
			b.Run(fmt.Sprintf("writers=%d/%s", writers, name), func(b *testing.B) {
				appendOne := dial(b, newLog(b))
				var group sync.WaitGroup
				b.ResetTimer()
				for writer := range writers {
					mine := b.N / writers
					if writer < b.N%writers {
						mine++
					}
					group.Go(func() {
						for revision := range int64(mine) {
							if err := appendOne(writer, revision, benchEvent(uint64(writer)<<32+uint64(revision))); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.StopTimer()
				ratio.report(b, 1, name == "direct")
			})
		}
		run("direct", func(_ *testing.B, log eventlog.Log) func(int, int64, eventlog.Event) error {
			return func(writer int, revision int64, event eventlog.Event) error {
				_, err := log.Append(context.Background(), fmt.Sprint("run-", writer), eventlog.At(revision-1), []eventlog.Event{event})
				return err
			}
		})
		run("append", func(b *testing.B, log eventlog.Log) func(int, int64, eventlog.Event) error {
			client := wire(b, serve(b, esdbapi.Config{Log: log, AllowAppend: true}))
			return func(writer int, revision int64, event eventlog.Event) error {
				return appendCall(client, writer, revision, event)
			}
		})
		run("batch", func(b *testing.B, log eventlog.Log) func(int, int64, eventlog.Event) error {
			return multiplexer(b, serve(b, esdbapi.Config{Log: log, AllowAppend: true}), writers)
		})
	}
}

// appendCall is what the official Go client does for an append.
func appendCall(client api.StreamsClient, writer int, revision int64, event eventlog.Event) error {
	call, err := client.Append(context.Background())
	if err != nil {
		return err
	}
	options := appendOptions(fmt.Sprint("run-", writer))
	if revision > 0 {
		options.GetOptions().ExpectedStreamRevision = &api.AppendReq_Options_Revision{Revision: uint64(revision - 1)}
	}
	if err := call.Send(options); err != nil {
		return err
	}
	proposed := message(event.ID, event.Payload)
	proposed.CustomMetadata = event.Metadata
	if err := call.Send(appendMessage(proposed)); err != nil {
		return err
	}
	response, err := call.CloseAndRecv()
	if err == nil && response.GetSuccess() == nil {
		err = fmt.Errorf("the append was answered with %v", response)
	}
	return err
}

// multiplexer gives all writers one call of BatchAppend.
func multiplexer(b *testing.B, l *listener, writers int) func(int, int64, eventlog.Event) error {
	call, err := wire(b, l).BatchAppend(context.Background())
	require.NoError(b, err)
	answers := make([]chan *api.BatchAppendResp, writers)
	for i := range answers {
		answers[i] = make(chan *api.BatchAppendResp, 1)
	}
	var receiving sync.WaitGroup
	receiving.Go(func() {
		for {
			answer, err := call.Recv()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					b.Error(err)
				}
				return
			}
			answers[answer.GetCorrelationId().GetStructured().GetMostSignificantBits()] <- answer
		}
	})
	b.Cleanup(func() {
		_ = call.CloseSend()
		receiving.Wait()
	})
	var sending sync.Mutex
	return func(writer int, revision int64, event eventlog.Event) error {
		request := &api.BatchAppendReq{
			CorrelationId:    &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{MostSignificantBits: int64(writer), LeastSignificantBits: revision}}},
			Options:          batchOptions(fmt.Sprint("run-", writer)),
			ProposedMessages: batchMessages([]eventlog.Event{event}),
			IsFinal:          true,
		}
		request.ProposedMessages[0].CustomMetadata = event.Metadata
		request.Options.ExpectedStreamPosition = &api.BatchAppendReq_Options_StreamPosition{StreamPosition: uint64(revision - 1)}
		if revision == 0 {
			request.Options.ExpectedStreamPosition = batchOptions("").GetExpectedStreamPosition()
		}
		sending.Lock()
		err := call.Send(request)
		sending.Unlock()
		if err != nil {
			return err
		}
		if answer := <-answers[writer]; answer.GetSuccess() == nil {
			return fmt.Errorf("the append was answered with %v", answer)
		}
		return nil
	}
}

// BenchmarkReadAll measures reading the whole log: directly, and through the protocol as a read and as a subscription
// that catches up.
func BenchmarkReadAll(b *testing.B) {
	const events = 100_000
	log := newLog(b)
	for i := 0; i < events; i += 1000 {
		batch := make([]eventlog.Event, 1000)
		for j := range batch {
			batch[j] = benchEvent(uint64(i + j))
		}
		_, err := log.Append(b.Context(), fmt.Sprint("run-", i), eventlog.NoStream{}, batch)
		require.NoError(b, err)
	}
	client := wire(b, serve(b, esdbapi.Config{Log: log}))
	var ratio compared
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			read := 0
			for _, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
				require.NoError(b, err)
				read++
			}
			require.Equal(b, events, read)
		}
		ratio.report(b, events, true)
	})
	b.Run("read", func(b *testing.B) {
		request := readAll(func(*api.ReadReq_Options) {})
		for b.Loop() {
			read, err := end(b, client, request)
			require.ErrorIs(b, err, io.EOF)
			require.Equal(b, events, read)
		}
		ratio.report(b, events, false)
	})
	b.Run("subscription", func(b *testing.B) {
		for b.Loop() {
			ctx, cancel := context.WithCancel(b.Context())
			subscription, err := client.Read(ctx, subscribeAll(nil))
			require.NoError(b, err)
			read := 0
			for read < events {
				message, err := subscription.Recv()
				require.NoError(b, err)
				if message.GetEvent() != nil {
					read++
				}
			}
			cancel()
		}
		ratio.report(b, events, false)
	})
}
