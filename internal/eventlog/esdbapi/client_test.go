package esdbapi_test

import (
	"math"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The official client and the log both read its appends back byte for byte.
func TestClientReadsBack(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	want := events(3, "event")
	want[1].Payload = []byte{0, 1, 2, 255}
	want[2].Metadata = []byte{255, 0}
	data := proposed(want)
	result, err := client.AppendToStream(t.Context(), "order-ä/1", esdb.AppendToStreamOptions{ExpectedRevision: esdb.NoStream{}}, data...)
	require.NoError(t, err)
	require.Equal(t, uint64(2), result.NextExpectedVersion)

	read, err := client.ReadStream(t.Context(), "order-ä/1", esdb.ReadStreamOptions{}, math.MaxUint64)
	got := collect(t, read, err)
	require.Len(t, got, 3)
	i := 0
	for record, err := range log.Stream(t.Context(), "order-ä/1", 0) {
		require.NoError(t, err)
		require.Equal(t, want[i].ID, record.ID)
		require.Equal(t, want[i].Payload, record.Payload)
		require.Equal(t, want[i].Metadata, record.Metadata)
		require.Equal(t, want[i].ID, got[i].EventID.String())
		require.Equal(t, "Tested", got[i].EventType)
		require.Equal(t, "order-ä/1", got[i].StreamID)
		require.Equal(t, uint64(i), got[i].EventNumber)
		require.Equal(t, position(t, record.Position), got[i].Position)
		require.Equal(t, want[i].Payload, got[i].Data)
		require.Equal(t, want[i].Metadata, got[i].UserMetadata)
		require.WithinDuration(t, record.RecordedAt, got[i].CreatedDate, 0)
		i++
	}
	require.Equal(t, []string{"application/json", "application/octet-stream", "application/json"},
		[]string{got[0].ContentType, got[1].ContentType, got[2].ContentType})
	require.Equal(t, got[2].Position.Commit, result.CommitPosition)
}

// A stream is read both ways, inclusive of where the read begins; one that is not there is said to be missing.
func TestClientReadsStreams(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(5, "a")...)
	appendTo(t, log, "b", eventlog.NoStream{}, events(1, "b")...)
	for name, c := range map[string]struct {
		direction esdb.Direction
		from      esdb.StreamPosition
		count     uint64
		want      []uint64
	}{
		"all":                        {esdb.Forwards, esdb.Start{}, math.MaxInt64, []uint64{0, 1, 2, 3, 4}},
		"a page":                     {esdb.Forwards, esdb.Start{}, 2, []uint64{0, 1}},
		"from one":                   {esdb.Forwards, esdb.Revision(3), 9, []uint64{3, 4}},
		"past the end":               {esdb.Forwards, esdb.Revision(5), 9, []uint64{}},
		"from the end":               {esdb.Forwards, esdb.End{}, 9, []uint64{}},
		"the end as a number":        {esdb.Forwards, esdb.Revision(math.MaxUint64), 9, []uint64{}},
		"back":                       {esdb.Backwards, esdb.End{}, math.MaxUint64, []uint64{4, 3, 2, 1, 0}},
		"the last":                   {esdb.Backwards, esdb.End{}, 1, []uint64{4}},
		"back from one":              {esdb.Backwards, esdb.Revision(2), 9, []uint64{2, 1, 0}},
		"back from past the end":     {esdb.Backwards, esdb.Revision(99), 2, []uint64{4, 3}},
		"back from the end's number": {esdb.Backwards, esdb.Revision(math.MaxUint64), 1, []uint64{4}},
		"back from the start":        {esdb.Backwards, esdb.Start{}, 9, []uint64{0}},
		"nothing":                    {esdb.Forwards, esdb.Start{}, 0, []uint64{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := client.ReadStream(t.Context(), "a", esdb.ReadStreamOptions{Direction: c.direction, From: c.from}, c.count)
			got := []uint64{}
			for _, event := range collect(t, read, err) {
				require.Equal(t, "a", event.StreamID)
				got = append(got, event.EventNumber)
			}
			require.Equal(t, c.want, got)
		})
	}
	for _, missing := range []string{"missing", "with space", string(make([]byte, 300))} {
		for _, direction := range []esdb.Direction{esdb.Forwards, esdb.Backwards} {
			read, err := client.ReadStream(t.Context(), missing, esdb.ReadStreamOptions{Direction: direction}, 9)
			require.NoError(t, err)
			_, err = read.Recv()
			require.Equal(t, esdb.ErrorCodeResourceNotFound, code(t, err))
		}
	}
}

// The log is read forwards inclusive and backwards exclusive of a position.
func TestClientReadsAll(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(3, "a")...)
	appendTo(t, log, "b", eventlog.NoStream{}, events(2, "b")...)
	at := func(n uint64) esdb.AllPosition { return esdb.Position{Commit: n, Prepare: n} }
	for name, c := range map[string]struct {
		direction esdb.Direction
		from      esdb.AllPosition
		count     uint64
		want      []uint64
	}{
		"all":                    {esdb.Forwards, esdb.Start{}, math.MaxUint64, []uint64{1, 2, 3, 4, 5}},
		"a page":                 {esdb.Forwards, esdb.Start{}, 2, []uint64{1, 2}},
		"from zero":              {esdb.Forwards, at(0), 2, []uint64{1, 2}},
		"from one, inclusive":    {esdb.Forwards, at(3), 9, []uint64{3, 4, 5}},
		"past the end":           {esdb.Forwards, at(99), 9, []uint64{}},
		"from the end":           {esdb.Forwards, esdb.End{}, 9, []uint64{}},
		"from the end's number":  {esdb.Forwards, at(math.MaxUint64), 9, []uint64{}},
		"back":                   {esdb.Backwards, esdb.End{}, 9, []uint64{5, 4, 3, 2, 1}},
		"back from one":          {esdb.Backwards, at(3), 9, []uint64{2, 1}},
		"back from the start":    {esdb.Backwards, esdb.Start{}, 9, []uint64{}},
		"back from past the end": {esdb.Backwards, at(99), 1, []uint64{5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := client.ReadAll(t.Context(), esdb.ReadAllOptions{Direction: c.direction, From: c.from}, c.count)
			got := []uint64{}
			for _, event := range collect(t, read, err) {
				got = append(got, event.Position.Commit)
			}
			require.Equal(t, c.want, got)
		})
	}
}
