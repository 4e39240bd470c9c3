package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Play is an automation day by day, for a real server to run one after the other.
type Play struct {
	Title, Intent, Zone, Code string
	Days                      []PlayDay
	// Recorded is how many of the days come before anything changes.
	Recorded int
}

// PlayDay is one day, and what the script comes to on it as long as nothing has changed, see [gate.End].
type PlayDay struct {
	automation.Run
	End string
}

// Clockless says that what the script does depends on its input and its answers alone: it can be
// compared with a run at another time.
func (a *Automation) Clockless() bool {
	for _, word := range []string{"Date.now(", "new Date()", "localTime(", "Math.random", "randomUUID"} {
		if strings.Contains(a.Code, word) {
			return false
		}
	}
	return true
}

// AsksFirst says that the first thing the script does outside is to read: it does nothing
// on a day on which nobody answers.
func (s *Scene) AsksFirst() bool {
	for _, run := range s.Successes {
		for _, call := range run.Calls {
			if declared := hostcall.Of(call.Tool); declared.Request != nil {
				return declared.Request.Only // whose failing ends the run
			}
		}
	}
	return false
}

// Play is the scene with all of its days in a row, changed from the first day after the
// recorded ones on; without a fault none is. At most after days come after the first of these.
func (s *Scene) Play(ctx context.Context, fault *Fault, after int) (*Play, error) {
	a := &s.Automation
	p := &Play{Title: a.Title, Intent: a.Intent, Zone: a.Zone, Code: a.Code, Recorded: len(s.Successes)}
	state := &hostcall.Memory{}
	for i, day := range s.days[:min(len(s.days), p.Recorded+1+after)] {
		run, err := live(ctx, s.runner, a, a.Code, fmt.Sprintf("p%d", i), day, state)
		if err != nil {
			return nil, err
		}
		made := PlayDay{Run: day, End: end(run)}
		if fault != nil && i >= p.Recorded {
			made.Run, _ = fault.apply(day)
		}
		p.Days = append(p.Days, made)
	}
	return p, nil
}

// At returns the play as it would be if the outside were at base, the address of a [Server].
func (p *Play) At(base string) *Play {
	local := *p
	there := func(text string) string { return strings.ReplaceAll(text, "https://", base+"/") }
	local.Code = there(p.Code)
	local.Days = nil
	for _, day := range p.Days {
		day.Input = json.RawMessage(there(string(day.Input)))
		answers := day.Answers
		day.Answers = nil
		for _, answer := range answers {
			answer.Body = json.RawMessage(there(string(answer.Body)))
			day.Answers = append(day.Answers, answer)
		}
		local.Days = append(local.Days, day)
	}
	return &local
}

// EndAt is the end of a run that asked the outside at base.
func EndAt(base string, output json.RawMessage, writes []gate.Write) string {
	return strings.ReplaceAll(gate.End(output, writes), base+"/", "https://")
}

// Trouble is what every request is answered with while there is trouble.
type Trouble struct {
	Status int
	Type   string // of the content
	Body   string
}

// Server answers over HTTP as a play's services do. Its path /HOST/PATH stands for
// https://HOST/PATH. It is safe for concurrent use.
type Server struct {
	mu      sync.Mutex
	answers map[string]automation.Answer
	trouble *Trouble
}

var _ http.Handler = (*Server)(nil)

// Answer makes the server answer as on a day, and nothing but that.
func (s *Server) Answer(day automation.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers, s.trouble = newOutside(day, nil).answers, nil
}

// Fail makes the server answer everything with trouble, until the next day.
func (s *Server) Fail(trouble Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = &trouble
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, known := s.answers[requestKey(r.Method, "https:/"+r.URL.RequestURI())]
	trouble := s.trouble
	s.mu.Unlock()
	if trouble != nil {
		w.Header().Set("Content-Type", trouble.Type)
		w.WriteHeader(trouble.Status)
		_, _ = w.Write([]byte(trouble.Body))
		return
	}
	if !known {
		answer = unknown(r.Method)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Status)
	_, _ = w.Write([]byte(bodyText(answer.Body)))
}
