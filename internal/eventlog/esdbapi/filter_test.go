package esdbapi

import (
	"regexp"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// Filters match as those of the protocol's own servers do.
func TestFilter(t *testing.T) {
	t.Parallel()
	record := func(stream, eventType string) *eventlog.Record {
		return &eventlog.Record{Stream: stream, Event: eventlog.Event{Type: eventType}}
	}
	run, system := record("run-7", "RunStarted"), record("$$run-7", "$metadata")
	for _, c := range []struct {
		byType     bool
		expression *pb.ReadReq_FilterOptions_Expression
		run        bool
		system     bool
	}{
		{false, prefixes("run-"), true, false},
		{false, prefixes("x", "$"), false, true},
		{false, prefixes("RUN"), false, false},
		{false, prefixes("un-"), false, false},
		{false, prefixes(""), true, true},
		{true, prefixes("Run"), true, false},
		{true, prefixes("run"), false, false},
		// Unanchored, and stronger than prefixes.
		{false, &pb.ReadReq_FilterOptions_Expression{Regex: "un-", Prefix: []string{"nothing"}}, true, true},
		{false, expression("^un-"), false, false},
		// The two ways in which clients leave system events out.
		{true, expression(`^[^$].*`), true, false},
		{true, expression(`^[^\$].*`), true, false},
		{true, expression(`^(?!(\$.+$|PersistentConfig\d+$))`), true, false},
		{true, expression(`(?i)^runstarted$`), true, false},
		{false, expression(`^run-\d+$`), true, false},
		{false, expression(`-[0-9-[0-6]]$`), true, true},
	} {
		filter := &pb.ReadReq_FilterOptions{CheckpointIntervalMultiplier: 1, Filter: &pb.ReadReq_FilterOptions_StreamIdentifier{StreamIdentifier: c.expression}}
		if c.byType {
			filter.Filter = &pb.ReadReq_FilterOptions_EventType{EventType: c.expression}
		}
		parsed, err := parseFilter(&pb.ReadReq_Options{FilterOption: &pb.ReadReq_Options_Filter{Filter: filter}})
		require.NoError(t, err)
		for record, want := range map[*eventlog.Record]bool{run: c.run, system: c.system} {
			got, err := parsed.passes(record)
			require.NoError(t, err)
			require.Equal(t, want, got, "%v on %s %s", c.expression, record.Stream, record.Type)
			require.True(t, !got || parsed.hint().Passes(record.Stream, record.Type), "what the log is asked for is not less")
		}
	}
}

func prefixes(prefixes ...string) *pb.ReadReq_FilterOptions_Expression {
	return &pb.ReadReq_FilterOptions_Expression{Prefix: prefixes}
}

func expression(regex string) *pb.ReadReq_FilterOptions_Expression {
	return &pb.ReadReq_FilterOptions_Expression{Regex: regex}
}

// An expression that is left to Go's engine means there what it means to the other one.
func TestSimpleExpressions(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{
		`^run-`: true, `^[^$].*`: true, `(a|b)+c?$`: true, `a\.b\-c`: true, `(a+)+$`: true, ``: true,
		`\d`: false, `(?i)a`: false, `(\d)`: false, `a{2}`: false, `[a-z-[b]]`: false, `[\d]`: false, `\`: false, `[a`: false, `[[:alpha:]]`: false,
		`\p{L}`: false, `\bx`: false, `\1`: false, `(?=a)`: false,
	} {
		require.Equal(t, want, simple(expression), expression)
	}
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		expression := rapid.StringOfN(rapid.SampledFrom([]rune(`ab-$^.*+?|()[]\/Aé`)), 0, 12, -1).Draw(t, "expression")
		if !simple(expression) {
			return
		}
		linear, err := regexp.Compile(expression)
		if err != nil {
			return // it is given to the other engine
		}
		other, err := regexp2.Compile(expression, regexp2.None)
		if err != nil {
			t.Fatalf("%q is understood by Go alone: %v", expression, err)
		}
		other.MatchTimeout = time.Second
		name := rapid.StringOfN(rapid.SampledFrom([]rune(`ab-$.A/é`)), 0, 10, -1).Draw(t, "name")
		want, err := other.MatchString(name)
		if err != nil {
			return
		}
		if got := linear.MatchString(name); got != want {
			t.Fatalf("%q on %q: %v, the other engine says %v", expression, name, got, want)
		}
		compared++
	})
	require.Positive(t, compared)
}
