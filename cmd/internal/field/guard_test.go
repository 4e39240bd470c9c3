package field_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// life is the days of a case as they were without a guard: with a change those before it and those after it.
type life struct {
	Case   string    `json:"case"`
	Change string    `json:"change,omitempty"`
	Code   string    `json:"code"`
	Zone   string    `json:"zone,omitempty"`
	Days   []lifeDay `json:"days"`
}

type lifeDay struct {
	Run    gate.Run `json:"run"`
	Right  bool     `json:"right"`
	Differ string   `json:"differ,omitempty"`
}

// live plays a case without a guard, and without repairs.
func (f *field) live(ctx context.Context, c *fieldCase, of *change, ordinary int) (life, error) {
	made := life{Case: c.Name, Code: c.Script, Zone: c.Zone}
	days := ordinary
	if of != nil {
		made.Change, days = of.Name, recorded+after
	}
	p, err := f.open(ctx, c, of)
	if err != nil {
		return made, err
	}
	defer p.close(ctx)
	for d := range days {
		was, err := p.day(ctx, d, of != nil && d >= recorded)
		if err != nil {
			return made, fmt.Errorf("%s %s: %w", c.Name, made.Change, err)
		}
		state, err := f.node.Commands.LoadRun(ctx, was.Final.ID)
		if err != nil {
			return made, err
		}
		text, err := json.Marshal(rehearsal.RecordedRun(state))
		if err != nil {
			return made, err
		}
		one := lifeDay{Right: was.right, Differ: was.differ}
		if err := json.Unmarshal([]byte(p.home(string(text))), &one.Run); err != nil {
			return made, err
		}
		made.Days = append(made.Days, one)
	}
	return made, nil
}

// watched is what the guard makes of a life.
type watched struct {
	Case, Change, Became string
	On                   int
	Stops, Marks         []string
	Told, Differ         string
}

// watch has the guard look at each day as the program does: before each write, and at the end.
func (f *field) watch(ctx context.Context, l life) (watched, error) {
	made := watched{Case: l.Case, Change: l.Change, Became: harmless}
	told := func(list []guard.Finding) string {
		var texts []string
		for _, f := range list {
			texts = append(texts, f.String())
		}
		return strings.Join(texts, "; ")
	}
	trusted := map[string]bool{}
	var good []gate.Run
	known := guard.Learn(guard.Version{Code: l.Code})
	for d, day := range l.Days {
		v := guard.Version{Code: l.Code, Zone: l.Zone, Successes: good}
		stopped, marked := []guard.Finding(nil), []guard.Finding(nil)
		ignored := map[string]bool{}
		look := func(so gate.Run) error {
			suspects := slices.DeleteFunc(known.Suspects(&so), func(f guard.Finding) bool { return ignored[f.Key()] || trusted[f.Key()] })
			if len(suspects) == 0 {
				return nil
			}
			if os.Getenv("KINTSUGI_FIELD_CASE") != "" {
				fmt.Printf("  %s day %d suspects %s\n", l.Change, d, told(suspects))
			}
			found, err := guard.Confirm(ctx, f.pool, v, &so, suspects)
			if err != nil {
				return err
			}
			if guard.Stops(found) {
				stopped = found
				return nil
			}
			for _, s := range suspects {
				ignored[s.Key()] = true
			}
			marked = append(marked, found...)
			return nil
		}
		wrote := false
		for n := range day.Run.Calls {
			if len(stopped) > 0 || day.Run.Calls[n].Effect != string(sandbox.Write) {
				continue
			}
			so := day.Run
			so.Calls, so.Outcome = slices.Clone(day.Run.Calls[:n+1]), gate.Outcome{}
			so.Calls[n].Result = nil
			if err := look(so); err != nil {
				return made, err
			}
			wrote = wrote || len(stopped) == 0
		}
		succeeded := day.Run.Outcome.Status == "succeeded"
		if len(stopped) == 0 && succeeded {
			if err := look(day.Run); err != nil {
				return made, err
			}
		}
		if l.Change == "" || d < recorded {
			if !day.Right {
				continue
			}
			if len(stopped) > 0 {
				made.Stops = append(made.Stops, fmt.Sprintf("day %d: %s", d, told(stopped)))
				for _, f := range stopped {
					trusted[f.Key()] = true
				}
			} else if len(marked) > 0 {
				made.Marks = append(made.Marks, fmt.Sprintf("day %d: %s", d, told(marked)))
				continue
			}
			good = append(good, day.Run)
			known.Add(&day.Run)
			continue
		}
		made.On, made.Told, made.Differ = d, told(append(stopped, marked...)), day.Differ
		switch {
		case !succeeded:
			made.Became = "fails by itself"
		case len(stopped) > 0 && day.Right:
			made.Became = "stopped, and was right"
		case len(stopped) > 0 && wrote:
			made.Became = "stopped after a write"
		case len(stopped) > 0:
			made.Became = "stopped"
		case day.Right:
			good = append(good, day.Run)
			known.Add(&day.Run)
			continue
		case len(marked) > 0:
			made.Became = markedWrong
		case wrote:
			made.Became = silentWrote
		default:
			made.Became = silentOnly
		}
		return made, nil
	}
	return made, nil
}

// settings are those of a case.
func (f *field) settings(hosts []string) workflow.Settings {
	made := workflow.Settings{AllowedHosts: hosts, Fixers: []string{workflow.FixerTemplates}}
	if f.unguarded {
		made.Guard = workflow.GuardOff
	}
	return made
}

// TestFieldGuard asks the guard alone, about days that were recorded without it (`make field/guard`).
func TestFieldGuard(t *testing.T) {
	t.Parallel()
	file := os.Getenv("KINTSUGI_FIELD_DAYS")
	if file == "" {
		return
	}
	half, only, _ := asked()
	w := newWorld(t)
	f := newField(t, w)
	f.unguarded = true
	if _, err := os.Stat(file); err != nil {
		out, err := os.Create(file)
		require.NoError(t, err)
		for _, dir := range cases(t, half, only) {
			c, err := w.load(t.Context(), half, dir)
			require.NoError(t, err)
			changes := []*change{nil}
			for i := range c.Changes {
				changes = append(changes, &c.Changes[i])
			}
			for _, of := range changes {
				l, err := f.live(t.Context(), c, of, 30)
				if err != nil {
					t.Error(err)
					continue
				}
				line, err := json.Marshal(l)
				require.NoError(t, err)
				_, err = out.Write(append(line, '\n'))
				require.NoError(t, err)
			}
		}
		require.NoError(t, out.Close())
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	became := map[string]int{}
	days, stops, marks := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		var l life
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		if name := os.Getenv("KINTSUGI_FIELD_CASE"); name != "" && !regexp.MustCompile("^("+name+")$").MatchString(l.Case) {
			continue
		}
		made, err := f.watch(t.Context(), l)
		require.NoError(t, err)
		if l.Change == "" {
			days, stops, marks = days+len(l.Days), stops+len(made.Stops), marks+len(made.Marks)
			for _, text := range append(made.Stops, made.Marks...) {
				fmt.Printf("ORDINARY %s %.400s\n", l.Case, text)
			}
			continue
		}
		became[made.Became]++
		if made.Became != "fails by itself" && made.Became != harmless {
			fmt.Printf("%s | %s %s day %d | %.300s\n", made.Became, made.Case, made.Change, made.On, made.Told)
		}
	}
	fmt.Println(became)
	fmt.Printf("ordinary days %d, stops %d, marks %d\n", days, stops, marks)
}
