package esdbapi_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// resolved reads a read to its end: each event by its stream and revision, behind the link that led to it.
func resolved(t testing.TB, read *esdb.ReadStream, err error) (got []string) {
	t.Helper()
	require.NoError(t, err)
	defer read.Close()
	for {
		one, err := read.Recv()
		if err != nil {
			require.ErrorContains(t, err, "EOF")
			return got
		}
		require.NotNil(t, one.Link)
		require.Equal(t, "$>", one.Link.EventType)
		require.Equal(t, fmt.Sprintf("%d@%s", one.Event.EventNumber, one.Event.StreamID), string(one.Link.Data))
		got = append(got, fmt.Sprintf("%d=%s/%d", one.Link.EventNumber, one.Event.StreamID, one.Event.EventNumber))
	}
}

// A stream of a category has a link to each event of its streams, in the order of the log, and one of a type to each event of that type;
// it is read from any revision in both directions, like any stream. Revisions are dense, and never change.
func TestClientReadsStreamsOfLinks(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	var ofCar, ofTested []string
	for i := range 3 {
		for _, stream := range []string{"car-1", "bus-1", "car-2-b", "cart-1", "car"} {
			added := events(2, "%s %d", stream, i)
			if stream == "bus-1" {
				added[1].Type = "Other"
			}
			if i == 0 {
				appendTo(t, log, stream, eventlog.NoStream{}, added...)
			} else {
				appendTo(t, log, stream, eventlog.Exact(int64(2*i-1)), added...)
			}
			for n, one := range added {
				if stream == "car-1" || stream == "car-2-b" {
					ofCar = append(ofCar, fmt.Sprintf("%d=%s/%d", len(ofCar), stream, 2*i+n))
				}
				if one.Type == "Tested" {
					ofTested = append(ofTested, fmt.Sprintf("%d=%s/%d", len(ofTested), stream, 2*i+n))
				}
			}
		}
	}
	read := func(stream string, from esdb.StreamPosition, count uint64, backward bool) []string {
		direction := esdb.Forwards
		if backward {
			direction = esdb.Backwards
		}
		stopped, err := client.ReadStream(t.Context(), stream, esdb.ReadStreamOptions{From: from, Direction: direction, ResolveLinkTos: true}, count)
		return resolved(t, stopped, err)
	}
	for stream, want := range map[string][]string{"$ce-car": ofCar, "$et-Tested": ofTested} {
		reversed := slices.Clone(want)
		slices.Reverse(reversed)
		require.Equal(t, want, read(stream, esdb.Start{}, 100, false), stream)
		require.Equal(t, want[5:8], read(stream, esdb.StreamRevision{Value: 5}, 3, false), stream)
		require.Equal(t, reversed, read(stream, esdb.End{}, 100, true), stream)
		require.Equal(t, reversed[len(reversed)-6:len(reversed)-2], read(stream, esdb.StreamRevision{Value: 5}, 4, true), stream)
		require.Empty(t, read(stream, esdb.StreamRevision{Value: 1000}, 4, false), stream)
		require.Equal(t, reversed[:1], read(stream, esdb.StreamRevision{Value: 1000}, 1, true), stream)
	}
	unresolved, err := client.ReadStream(t.Context(), "$ce-bus", esdb.ReadStreamOptions{}, 2)
	links := collect(t, unresolved, err)
	require.Equal(t, "$ce-bus 1 $> 1@bus-1", fmt.Sprintf("%s %d %s %s", links[1].StreamID, links[1].EventNumber, links[1].EventType, links[1].Data))
	for _, nothing := range []string{"$ce-plane", "$et-Never", "$ce-", "$ce-car-1", "$et-"} {
		missing, err := client.ReadStream(t.Context(), nothing, esdb.ReadStreamOptions{}, 1)
		require.NoError(t, err)
		_, err = missing.Recv()
		require.Equal(t, esdb.ErrorCodeResourceNotFound, code(t, err), nothing)
		missing.Close()
	}
	_, err = client.AppendToStream(t.Context(), "$ce-car", esdb.AppendToStreamOptions{}, proposed(events(1, "x"))...)
	require.Error(t, err)
}

// A read in the middle of many links begins where it is to.
func TestClientReadsInTheMiddleOfManyLinks(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	for batch := range 25 {
		appendTo(t, log, fmt.Sprintf("car-%d", batch), eventlog.NoStream{}, events(100, "car %d", batch)...)
		appendTo(t, log, fmt.Sprintf("bus-%d", batch), eventlog.NoStream{}, events(10, "bus %d", batch)...)
	}
	for _, at := range []uint64{2499, 999, 1000, 1001, 0, 1999, 2000} {
		for _, direction := range []esdb.Direction{esdb.Forwards, esdb.Backwards} {
			read, err := client.ReadStream(t.Context(), "$ce-car", esdb.ReadStreamOptions{From: esdb.StreamRevision{Value: at}, Direction: direction, ResolveLinkTos: true}, 1)
			require.Equal(t, []string{fmt.Sprintf("%d=car-%d/%d", at, at/100, at%100)}, resolved(t, read, err))
		}
	}
}

// A subscription to a stream of links sends what is there after its start, says once that it caught up, and sends what comes.
func TestClientSubscribesToLinks(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "car-1", eventlog.NoStream{}, events(3, "a")...)
	appendTo(t, log, "bus-1", eventlog.NoStream{}, events(1, "b")...)
	live := map[*esdb.Subscription][]string{}
	for name, c := range map[string]struct {
		from         esdb.StreamPosition
		there, comes []string
	}{
		"from the start":     {esdb.Start{}, []string{"$ce-car/0", "$ce-car/1", "$ce-car/2"}, []string{"$ce-car/3", "$ce-car/4"}},
		"after a revision":   {esdb.StreamRevision{Value: 1}, []string{"$ce-car/2"}, []string{"$ce-car/3", "$ce-car/4"}},
		"from the end":       {esdb.End{}, nil, []string{"$ce-car/3", "$ce-car/4"}},
		"from what is ahead": {esdb.StreamRevision{Value: 3}, nil, []string{"$ce-car/4"}},
	} {
		subscription, err := client.SubscribeToStream(t.Context(), "$ce-car", esdb.SubscribeToStreamOptions{From: c.from, ResolveLinkTos: true})
		require.NoError(t, err, name)
		requireNext(t, subscription, append(slices.Clone(c.there), "caught up")...)
		live[subscription] = c.comes
	}
	appendTo(t, log, "car-2", eventlog.NoStream{}, events(1, "c")...)
	appendTo(t, log, "bus-1", eventlog.Exact(0), events(1, "d")...)
	appendTo(t, log, "car-1", eventlog.Exact(2), events(1, "e")...)
	for subscription, comes := range live {
		requireNext(t, subscription, comes...)
	}
}
