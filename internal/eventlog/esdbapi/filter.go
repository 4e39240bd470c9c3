package esdbapi

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

const (
	defaultWindow = 32
	// maxRegexBytes and maxPrefixes bound what a client may have looked for in every event.
	maxRegexBytes = 4096
	maxPrefixes   = 1000
	// matchTimeout ends expressions that would take for ever; a name has at most 200 bytes. It is time by the clock, of which a
	// busy machine lets some pass before it goes on with one that takes none.
	matchTimeout = time.Second
)

// filter selects events of the whole log. Nil selects all.
type filter struct {
	byType   bool // the type is looked at, else the stream
	prefixes []string
	matches  func(name string) (bool, error) // nil for prefixes
	interval uint64                          // a checkpoint comes at least each so many events
}

// parseFilter reads the filter of a read, nil if it has none.
func parseFilter(options *pb.ReadReq_Options) (*filter, error) {
	wire := options.GetFilter()
	if wire == nil {
		return nil, nil
	}
	f := new(filter)
	var expression *pb.ReadReq_FilterOptions_Expression
	switch by := wire.GetFilter().(type) {
	case *pb.ReadReq_FilterOptions_StreamIdentifier:
		expression = by.StreamIdentifier
	case *pb.ReadReq_FilterOptions_EventType:
		expression, f.byType = by.EventType, true
	default:
		return nil, invalid("the filter names neither streams nor event types")
	}
	window := uint64(defaultWindow)
	if given, ok := wire.GetWindow().(*pb.ReadReq_FilterOptions_Max); ok {
		window = uint64(given.Max)
	}
	f.interval = window * uint64(wire.GetCheckpointIntervalMultiplier())
	if _, subscribes := options.GetCountOption().(*pb.ReadReq_Options_Subscription); subscribes && f.interval == 0 {
		return nil, invalid("the filter's search window and checkpoint interval multiplier have to be greater than 0")
	}
	switch {
	case expression.GetRegex() != "":
		matches, err := compile(expression.GetRegex())
		if err != nil {
			return nil, err
		}
		f.matches = matches
	case len(expression.GetPrefix()) > maxPrefixes:
		return nil, invalid("the filter has %d prefixes, more than %d", len(expression.GetPrefix()), maxPrefixes)
	case len(expression.GetPrefix()) > 0:
		f.prefixes = expression.GetPrefix()
	default:
		return nil, invalid("the filter has neither prefixes nor a regular expression")
	}
	return f, nil
}

func (f *filter) passes(record *eventlog.Record) (bool, error) {
	if f == nil {
		return true, nil
	}
	name := record.Stream
	if f.byType {
		name = record.Type
	}
	if f.matches != nil {
		return f.matches(name)
	}
	return slices.ContainsFunc(f.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }), nil
}

// hint is what of the filter the log itself can do.
func (f *filter) hint() eventlog.Filter {
	if f == nil || f.byType || slices.ContainsFunc(f.prefixes, func(prefix string) bool { return !possible(prefix) }) {
		return eventlog.Everything
	}
	return eventlog.Filter{StreamPrefixes: f.prefixes}
}

// compile understands expressions as .NET does, which is where the protocol has them from.
func compile(expression string) (func(string) (bool, error), error) {
	if len(expression) > maxRegexBytes {
		return nil, invalid("the filter's regular expression has %d bytes, more than %d", len(expression), maxRegexBytes)
	}
	if simple(expression) {
		if linear, err := regexp.Compile(expression); err == nil {
			return func(name string) (bool, error) { return linear.MatchString(name), nil }, nil
		}
	}
	backtracking, err := regexp2.Compile(expression, regexp2.None)
	if err != nil {
		return nil, invalid("the filter's regular expression cannot be understood: %v", err)
	}
	backtracking.MatchTimeout = matchTimeout
	return func(name string) (bool, error) {
		matched, err := backtracking.MatchString(name)
		if err != nil {
			return false, invalid("the filter's regular expression takes longer than %v to look at the name %q; write a simpler one", matchTimeout, name)
		}
		return matched, nil
	}, nil
}

// simple says whether an expression means the same to Go's engine, which never takes more than linear time: it has
// nothing but letters, dots, anchors, repetition, alternatives, plain groups, escaped punctuation and plain classes.
func simple(expression string) bool {
	for i := 0; i < len(expression); i++ {
		rest := expression[i+1:]
		switch expression[i] {
		case '\\':
			if rest == "" || !strings.ContainsAny(rest[:1], `.$^*+?()[]{}|\/-_:`) {
				return false
			}
			i++
		case '(':
			if strings.HasPrefix(rest, "?") {
				return false
			}
		case '[':
			class := plainClass.FindString(expression[i:])
			if class == "" {
				return false
			}
			i += len(class) - 1
		case ']', '{', '}':
			return false
		}
	}
	return true
}

var plainClass = lazyregexp.New(`^\[\^?[A-Za-z0-9_$.:/-]+\]`)
