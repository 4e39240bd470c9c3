package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/migration"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// changed is a change of a case of testdata/field, as cmd/internal/field records it.
type changed struct {
	Case, Change, Happened string
	Effect                 []string
	Lost                   bool
	Code, Zone             string
	Days                   []struct {
		Run   Run
		Input json.RawMessage
		Now   []Call
	}
	Failed Run
	Whole  []Call
	Right  []struct{ Name, Code string }
}

// TestExplained says in how many recorded changes the joint explanation is found, leaves nothing open, is sure, and is true:
// the old script makes of each day before, answered in the new shape and put back, what it made; and no right fix makes
// another thing of the days before, carried.
func TestExplained(t *testing.T) {
	t.Parallel()
	from := os.Getenv("KINTSUGI_FIELD_RECORD")
	if from == "" {
		return
	}
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	var all []changed
	require.NoError(t, json.Unmarshal(text, &all))
	slices.SortFunc(all, func(a, b changed) int { return strings.Compare(a.title(), b.title()) })
	only := regexp.MustCompile(os.Getenv("KINTSUGI_FIELD_CASE"))
	all = slices.DeleteFunc(all, func(c changed) bool { return !only.MatchString(c.title()) })
	for _, whole := range []bool{false, true} {
		made := make([]explained, len(all))
		var group sync.WaitGroup
		limit := make(chan struct{}, 2)
		for i := range all {
			group.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				made[i] = all[i].explained(t.Context(), whole)
			})
		}
		group.Wait()
		sums := map[string]*[7]int{}
		for i, found := range made {
			kind := all[i].kind()
			if sums[kind] == nil {
				sums[kind] = &[7]int{}
			}
			for n, is := range []bool{true, found.says != "", found.complete, found.sure, found.complete && found.right, found.complete && found.pages, found.sure && !found.right && !found.pages} {
				if is {
					sums[kind][n]++
				}
			}
			if !whole {
				fmt.Printf("%s\n%s\n", all[i].title(), found)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(sums)) {
			n := sums[kind]
			fmt.Printf("%-19s %3d, found %3d, complete %3d, sure %3d, complete and true %3d, true of a page %3d, sure and false %3d (the whole day: %v)\n", kind, n[0], n[1], n[2], n[3], n[4], n[5], n[6], whole)
		}
	}
}

func (c *changed) title() string {
	return fmt.Sprintf("%s, %s (%s: %s)", c.Case, c.Change, c.kind(), c.Happened)
}

func (c *changed) kind() string {
	kind, value := "silent", "there"
	for _, effect := range c.Effect {
		if effect != "harmless" {
			if strings.HasPrefix(effect, "loud") {
				kind = "loud"
			}
			break
		}
	}
	if c.Lost {
		value = "lost"
	}
	return kind + ", value " + value
}

var address = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

type explained struct {
	says                         string
	complete, sure, right, pages bool
	why                          []string
	score                        string
}

func (e explained) String() string {
	flags := ""
	for _, one := range []struct {
		name string
		is   bool
	}{{"found", e.says != ""}, {"complete", e.complete}, {"sure", e.sure}, {"true", e.right}, {"of a page", e.pages}, {"FALSE", e.sure && !e.right && !e.pages}} {
		if one.is {
			flags += " " + one.name
		}
	}
	return fmt.Sprintf("  =%s %s%s\n    %s", flags, e.score, e.says, strings.Join(e.why, "\n    "))
}

func (c *changed) explained(ctx context.Context, whole bool) (e explained) {
	code, err := parseScript(c.Code)
	if err != nil {
		e.why = append(e.why, err.Error())
		return e
	}
	var successes []*Run
	for i := range c.Days {
		successes = append(successes, &c.Days[i].Run)
	}
	failed := c.Failed
	if whole {
		failed.Calls = c.Whole
	}
	past := newPast(code, &failed, successes)
	for _, line := range Explain(c.Code, &failed, successes) {
		e.says += "\n    " + address.ReplaceAllString(line, "")
	}
	worlds := Reshaped(code, &failed, successes)
	pick, score, joint := map[string]*migration.Migration{}, 1.0, 1.0
	if sources, order := past.sources(); len(order) == 0 {
		e.why = append(e.why, "open: something that the script names is lost")
	} else {
		pick = picks(sources, order)[0]
		e.complete = len(worlds) > 0 && past.open(pick) == ""
		if !e.complete {
			e.why = append(e.why, "open: carried payloads have what the failed run was not given")
		}
		for name, way := range pick {
			score, joint = min(score, way.Score), min(joint, way.Joint)
			if l := sources[name].pages; l != nil && l.guess {
				joint = min(joint, worthAsking)
			}
		}
		e.score = fmt.Sprintf("score %.2f joint %.2f ways %d", score, joint, len(worlds))
		e.sure = e.complete && len(worlds) == 1 && joint >= certain
	}
	spelled := past.keys.Spelled
	backs, engine := map[string]string{}, goja.New()
	var functions []string // that put back
	for name, way := range pick {
		written, ok := way.For(spelled).Back(fmt.Sprintf("back%d", len(backs)), "r")
		if !ok && way.For(spelled).Carries() {
			e.why = append(e.why, "no way back is written for "+name)
			continue
		}
		functions = append(functions, written)
		if backs[name] = fmt.Sprintf("back%d", len(backs)); !ok {
			delete(backs, name)
		} else if _, err := engine.RunString(written); err != nil {
			e.why = append(e.why, err.Error())
		}
	}
	forms := map[string]payload.InText{}
	for _, run := range successes {
		past.eachForm(run, func(name string, _ any, form payload.InText) { forms[name] = form })
	}
	back := func(name string, text json.RawMessage) json.RawMessage {
		value, form, write := opened(text)
		if pick[name] != nil && form.Form != "" {
			form = forms[name]
		}
		if backs[name] == "" || value == nil {
			if value != nil && pick[name] != nil {
				return write(value, form)
			}
			return text
		}
		made, err := orderedjson.Encode(value)
		if err == nil {
			var got goja.Value
			if got, err = engine.RunString("JSON.stringify(" + backs[name] + "(" + string(made) + "))"); err == nil {
				if value, err = orderedjson.Decode(json.RawMessage(got.String())); err == nil {
					return write(value, form)
				}
			}
		}
		e.why = append(e.why, err.Error())
		return text
	}
	runner, assumed := process.InProcess{Bindings: hostcall.Bindings()}, Assume(values(successes), c.Code)
	differs := func(code string, run *Run) *Divergence {
		outcome, err := executeWith(ctx, runner, run.ID, code, c.Zone, run, unrecordedAnswers{assumed: assumed})
		if err != nil {
			return &Divergence{Got: err.Error()}
		}
		if isUnanswerable(&outcome) {
			return &Divergence{What: inCall, Got: outcome.Error.Message}
		}
		return compareSuccess(run, &outcome)
	}
	broken, many := 0, true // days that differ, and that each of them asked for several pages
	for _, day := range c.Days {
		run := day.Run
		run.Calls = slices.Clone(run.Calls)
		run.Input = back("input", day.Input)
		asked, again := map[string]bool{}, false
		for i, call := range day.Now {
			again = again || pick[past.sourceOf(&call)] != nil && asked[past.sourceOf(&call)]
			asked[past.sourceOf(&call)] = true
			if isGiven(&call) {
				call.Result = back(past.sourceOf(&call), call.Result)
			}
			run.Calls[i] = call
		}
		if d := differs(c.Code, &run); d != nil {
			if broken++; broken == 1 {
				e.why = append(e.why, fmt.Sprintf("back: %+v", *d), address.ReplaceAllString(strings.Join(functions, "\n"), ""))
			}
			many = many && again
		}
	}
	e.right = broken == 0
	e.pages = broken > 0 && broken < len(c.Days) && many
	listed := len(past.pages) > 0
	if listed {
		e.right, e.pages = true, false
	}
	if e.complete {
		followed := 0 // right fixes that ask for all pages as they are told
		for _, one := range c.Right {
			answered := true
			for _, day := range successes {
				carried, ok := past.carry(day, pick)
				if !ok {
					e.why = append(e.why, "not carried: "+day.ID)
					continue
				}
				d := differs(one.Code, carried)
				if d != nil && d.What != inCall {
					e.right, e.pages = false, false
					e.why = append(e.why, fmt.Sprintf("forward: %s differs: %+v", one.Name, *d))
					break
				}
				if d != nil && answered && listed {
					e.why = append(e.why, fmt.Sprintf("forward: %s asks otherwise: %+v", one.Name, *d))
				}
				answered = answered && d == nil
			}
			if answered {
				followed++
			}
		}
		e.right = e.right && (!listed || followed > 0)
		if listed {
			e.why = append(e.why, fmt.Sprintf("pages: %d of %d right fixes come out as before", followed, len(c.Right)))
		}
	}
	return e
}

func values(runs []*Run) []Run {
	var made []Run
	for _, run := range runs {
		made = append(made, *run)
	}
	return made
}
