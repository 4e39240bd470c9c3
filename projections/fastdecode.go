package projections

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// fastDecode reads the events of runs and conversations, which most of a log is, at a fraction of what encoding/json
// takes, if they are in the form that this program writes; ok is false if it does not know to read them. Results of
// calls, the text of log lines and the conversations of agents are left out: no view has them. They are not
// looked at either, which the hash of the event makes up for.
func fastDecode(kind string, version int, payload []byte) (happened event.Event, ok bool) {
	read := fastTypes[kind]
	if version != 1 || read == nil {
		return nil, false
	}
	s := scanner{rest: textOf(payload), payload: payload, unicode: utf8.Valid(payload)}
	happened, ok = read(&s)
	return happened, ok && s.rest == ""
}

var fastTypes = map[string]func(*scanner) (event.Event, bool){
	run.TypeToolCalled:        fastCall,
	run.TypeToolReturned:      fastReturn,
	run.TypeToolAnswered:      fastAnswered,
	run.TypeRunStarted:        fastStart,
	run.TypeRunEnded:          fastEnd,
	workflow.TypeRunAdmitted:  fastAdmission,
	workflow.TypeRunSucceeded: fastSuccess,
	run.TypeLogWritten:        fastLog,

	thread.TypeMessageAppended: fastMessage,
	thread.TypeToolInvoked:     fastInvocation,
	thread.TypeToolResulted:    fastResult,
}

func fastCall(s *scanner) (event.Event, bool) {
	var made run.ToolCalled
	ok := s.object(func(name string) bool { return s.called(name, &made) })
	return made, ok
}

func fastReturn(s *scanner) (event.Event, bool) {
	var back run.ToolReturned
	ok := s.object(func(name string) bool {
		if name == "seq" {
			return s.number(&back.Seq)
		}
		return s.returned(name, &back.MS, &back.Hosts)
	})
	return back, ok
}

func fastAnswered(s *scanner) (event.Event, bool) {
	var made run.ToolAnswered
	ok := s.object(func(name string) bool {
		return s.called(name, &made.ToolCalled) || s.returned(name, &made.MS, &made.Hosts)
	})
	return made, ok
}

func (s *scanner) called(name string, made *run.ToolCalled) bool {
	switch name {
	case "seq":
		return s.number(&made.Seq)
	case "tool":
		return s.text(&made.Tool)
	case "args":
		return s.raw(&made.Args)
	case "effect":
		return s.text(&made.Effect)
	case "key":
		return s.text(&made.Key)
	case "from":
		return s.text(&made.From)
	}
	return false
}

func (s *scanner) returned(name string, ms *int64, hosts *[]string) bool {
	switch name {
	case "result":
		_, is := s.value()
		return is
	case "ms":
		return s.long(ms)
	case "hosts":
		return s.texts(hosts)
	}
	return false
}

func fastStart(s *scanner) (event.Event, bool) {
	var of run.RunStarted
	ok := s.object(func(name string) bool {
		switch name {
		case "run":
			return s.kept(&of.Run)
		case "workflow":
			return s.kept(&of.Workflow)
		case "version":
			return s.kept(&of.Version)
		case "trigger":
			return s.kept(&of.Trigger)
		case "input":
			return s.raw(&of.Input)
		case "seed":
			return s.kept(&of.Seed)
		case "clock":
			return s.time(&of.Clock)
		case "zone":
			return s.kept(&of.Zone)
		case "lease_until":
			return s.time(&of.LeaseUntil)
		case "node":
			return s.kept(&of.Node)
		case "continues":
			return s.kept(&of.Continues)
		case "overlap":
			of.Overlap = s.skip("true")
			return of.Overlap
		}
		return false
	})
	return of, ok
}

func fastEnd(s *scanner) (event.Event, bool) {
	var of run.RunEnded
	ok := s.object(func(name string) bool {
		switch name {
		case "output":
			return s.raw(&of.Output)
		case "usage":
			return s.object(func(name string) bool {
				switch name {
				case "wall_ms":
					return s.long(&of.Usage.WallMS)
				case "virtual_ms":
					return s.long(&of.Usage.VirtualMS)
				case "calls":
					return s.number(&of.Usage.Calls)
				case "reused":
					return s.number(&of.Usage.Reused)
				}
				return false
			})
		}
		return false
	})
	return of, ok
}

func fastAdmission(s *scanner) (event.Event, bool) {
	var of workflow.RunAdmitted
	ok := s.object(func(name string) bool {
		switch name {
		case "run":
			return s.kept(&of.Run)
		case "version":
			return s.version(&of.Version)
		case "trigger":
			return s.kept((*string)(&of.Trigger))
		case "input":
			return s.raw(&of.Input)
		case "slot":
			of.Slot = new(time.Time)
			return s.time(of.Slot)
		case "continues":
			return s.kept(&of.Continues)
		case "attempt":
			return s.number(&of.Attempt)
		case "at":
			return s.time(&of.At)
		}
		return false
	})
	return of, ok
}

func fastSuccess(s *scanner) (event.Event, bool) {
	var of workflow.RunSucceeded
	ok := s.object(func(name string) bool {
		switch name {
		case "run":
			return s.kept(&of.Run)
		case "version":
			return s.version(&of.Version)
		}
		return false
	})
	return of, ok
}

func fastLog(s *scanner) (event.Event, bool) {
	of := run.LogWritten{Lines: []run.LogLine{}}
	ok := s.object(func(name string) bool {
		return name == "lines" && s.list(func() bool {
			of.Lines = append(of.Lines, run.LogLine{})
			_, is := s.value()
			return is
		})
	})
	return of, ok
}

func fastMessage(s *scanner) (event.Event, bool) {
	var of thread.MessageAppended
	ok := s.object(func(name string) bool {
		switch name {
		case "role":
			return s.kept(&of.Role)
		case "text":
			_, is := s.value()
			return is
		case "usage":
			of.Usage = new(thread.Usage)
			return s.object(func(name string) bool { return s.usage(name, of.Usage) })
		}
		return false
	})
	return of, ok
}

func (s *scanner) usage(name string, into *thread.Usage) bool {
	switch name {
	case "model":
		return s.kept(&into.Model)
	case "input":
		return s.long(&into.Input)
	case "cached":
		return s.long(&into.Cached)
	case "output":
		return s.long(&into.Output)
	case "cost_usd":
		text, is := s.value()
		cost, err := strconv.ParseFloat(text, 64)
		into.CostUSD = cost
		return is && err == nil && text[0] >= '0' && text[0] <= '9'
	}
	return false
}

func fastInvocation(s *scanner) (event.Event, bool) {
	var of thread.ToolInvoked
	ok := s.object(func(name string) bool {
		switch name {
		case "call":
			return s.kept(&of.Call)
		case "tool":
			return s.kept(&of.Tool)
		case "args":
			_, is := s.value()
			return is
		}
		return false
	})
	return of, ok
}

func fastResult(s *scanner) (event.Event, bool) {
	var of thread.ToolResulted
	ok := s.object(func(name string) bool {
		switch name {
		case "call":
			return s.kept(&of.Call)
		case "result":
			_, is := s.value()
			return is
		case "end":
			of.End = true
			return s.skip("true")
		}
		return false
	})
	return of, ok
}

// scanner takes JSON without white space off the front of a text, which is the rest of a payload.
type scanner struct {
	rest    string
	payload []byte
	unicode bool // the payload is valid UTF-8
}

func (s *scanner) skip(token string) bool {
	rest, found := strings.CutPrefix(s.rest, token)
	s.rest = rest
	return found
}

// object reads an object; member reads the value of each name.
func (s *scanner) object(member func(name string) bool) bool {
	if !s.skip("{") {
		return false
	}
	for {
		var name string
		if !s.text(&name) || !s.skip(":") || !member(name) {
			return false
		}
		if !s.skip(",") {
			return s.skip("}")
		}
	}
}

// list reads a list; element reads each value.
func (s *scanner) list(element func() bool) bool {
	if !s.skip("[") {
		return false
	}
	if s.skip("]") {
		return true
	}
	for element() {
		if !s.skip(",") {
			return s.skip("]")
		}
	}
	return false
}

// text reads a string that stands for itself: printable, no escapes.
func (s *scanner) text(into *string) bool {
	if !s.skip(`"`) {
		return false
	}
	for i := range len(s.rest) {
		switch c := s.rest[i]; {
		case c == '"':
			*into, s.rest = s.rest[:i], s.rest[i+1:]
			return true
		case c == '\\', c < ' ', c >= utf8.RuneSelf && !s.unicode:
			return false
		}
	}
	return false
}

func (s *scanner) texts(into *[]string) bool {
	*into = []string{}
	return s.list(func() bool {
		var one string
		ok := s.kept(&one)
		*into = append(*into, one)
		return ok
	})
}

// kept is a text that is kept for longer than the event.
func (s *scanner) kept(into *string) bool {
	ok := s.text(into)
	*into = strings.Clone(*into)
	return ok
}

// raw is a value as it is, in the payload itself: whoever keeps it keeps all of the record.
func (s *scanner) raw(into *json.RawMessage) bool {
	at := len(s.payload) - len(s.rest)
	value, ok := s.value()
	*into = s.payload[at : at+len(value) : at+len(value)]
	return ok
}

func (s *scanner) time(into *time.Time) bool {
	var text string
	return s.text(&text) && strings.HasSuffix(text, "Z") && into.UnmarshalText([]byte(text)) == nil
}

func (s *scanner) version(into *workflow.Version) bool {
	return s.object(func(name string) bool {
		switch name {
		case "major":
			return s.number(&into.Major)
		case "minor":
			return s.number(&into.Minor)
		}
		return false
	})
}

func (s *scanner) long(into *int64) bool {
	var n int
	ok := s.number(&n)
	*into = int64(n)
	return ok
}

// number reads a whole number that is not negative.
func (s *scanner) number(into *int) bool {
	end := strings.IndexAny(s.rest, ",}")
	if end < 1 || s.rest[0] < '0' || s.rest[0] > '9' || s.rest[0] == '0' && end > 1 {
		return false
	}
	n, err := strconv.Atoi(s.rest[:end])
	*into, s.rest = n, s.rest[end:]
	return err == nil
}

// value takes a value as it is: up to where the strings and brackets in it have ended.
func (s *scanner) value() (value string, ok bool) {
	depth := 0
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '"':
			for i++; i < len(s.rest) && s.rest[i] != '"'; i++ {
				if s.rest[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}', ',':
			if depth == 0 {
				value, s.rest = s.rest[:i], s.rest[i:]
				return value, i > 0
			}
			if s.rest[i] != ',' {
				depth--
			}
		case ' ', '\t', '\r', '\n':
			if depth == 0 {
				return "", false
			}
		}
	}
	return "", false
}
