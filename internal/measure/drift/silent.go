package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Days is what became of days of an automation under one guard.
type Days struct {
	Days    int
	Same    int // came to the end that is right
	Loud    int // failed by themselves
	Stopped int // by the guard, before anything wrong was written
	Noticed int // wrong, and marked: evidence for nothing until a person says so
	Wrote   int // wrong successes that wrote something, not stopped and not marked
	Silent  int // wrong successes that only returned something
	Alarms  int // right ends that the guard stopped
	Marks   int // right ends that it marked
	Told    []string
	First   *Stop // nil if none was stopped
}

// Add sums up.
func (d *Days) Add(other Days) {
	d.Days += other.Days
	d.Same += other.Same
	d.Loud += other.Loud
	d.Stopped += other.Stopped
	d.Noticed += other.Noticed
	d.Wrote += other.Wrote
	d.Silent += other.Silent
	d.Alarms += other.Alarms
	d.Marks += other.Marks
	d.Told = append(d.Told, other.Told...)
}

// QuietDays are days after the recorded ones, on which nothing changes.
func (s *Scene) QuietDays(ctx context.Context, many int) ([]automation.Run, error) {
	var days []automation.Run
	for n := range many {
		day, err := s.Automation.Day(ctx, s.runner, len(s.Successes)+n, s.seed)
		if err != nil {
			return nil, err
		}
		days = append(days, day)
	}
	return days, nil
}

// Effective are faults that change the end of one of the days at least, up to most, of all kinds but those that
// take a member from some objects only: no payload tells these from members that are optional.
func (s *Scene) Effective(ctx context.Context, days []automation.Run, most int) ([]Fault, error) {
	all := s.Faults(slices.Concat(Kinds(), InPlace()), 4)
	rng := rand.New(rand.NewPCG(s.seed, uint64(len(all))))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var found []Fault
	for _, fault := range all {
		if len(found) == most {
			break
		}
		if strings.HasSuffix(fault.Kind.Name, " in some") {
			continue
		}
		for _, day := range days {
			right, err := s.on(ctx, day)
			if err != nil {
				return nil, err
			}
			changed, _ := fault.apply(day)
			now, err := s.on(ctx, changed)
			if err != nil {
				return nil, err
			}
			if end(now) != end(right) {
				found = append(found, fault)
				break
			}
		}
	}
	return found, nil
}

func (s *Scene) on(ctx context.Context, day automation.Run) (gate.Run, error) {
	return live(ctx, s.runner, &s.Automation, s.Automation.Code, "q"+day.Clock.Format("0102"), day, s.state.Clone())
}

// Watch runs the days as change makes them, one after the other, with a guard that knows the recorded days, or
// without one. right says that the end is right whatever it is: nothing changed but what was to be told.
func (s *Scene) Watch(ctx context.Context, days []automation.Run, change func(automation.Run) automation.Run, right, guarded bool) (Days, error) {
	var sum Days
	version := guard.Version{Code: s.Automation.Code, Zone: s.Automation.Zone, Successes: slices.Clone(s.Successes)}
	known := guard.Learn(version)
	for i, day := range days {
		was, err := s.on(ctx, day)
		if err != nil {
			return sum, err
		}
		run, err := s.on(ctx, change(day))
		if err != nil {
			return sum, err
		}
		sum.Days++
		if run.Outcome.Status != "succeeded" {
			sum.Loud++
			continue
		}
		good := right || end(run) == end(was)
		var found []guard.Finding
		stopped, spoilt, came := false, false, len(run.Calls)
		for n := range run.Calls {
			if !guarded || run.Calls[n].Effect != string(sandbox.Write) {
				continue
			}
			begun := run
			begun.Calls, begun.Outcome = run.Calls[:n+1], gate.Outcome{}
			if found, err = guard.Look(ctx, s.runner, known, version, &begun); err != nil {
				return sum, err
			}
			if stopped = guard.Stops(found); stopped {
				spoilt, came = !begins(was, run, n), n
				break
			}
		}
		if guarded && !stopped {
			if found, err = guard.Look(ctx, s.runner, known, version, &run); err != nil {
				return sum, err
			}
			stopped = guard.Stops(found)
			spoilt = stopped && !begins(was, run, len(run.Calls))
		}
		for _, f := range found {
			sum.Told = append(sum.Told, f.String())
		}
		if stopped && sum.First == nil && !spoilt {
			sum.First = &Stop{Run: stopAt(run, came, found), Findings: found, Day: day, Later: days[i+1:], version: version}
			sum.First.version.Successes = slices.Clone(version.Successes)
			sum.First.Run.Local = localOf(s.state)
		}
		switch {
		case good && stopped:
			sum.Alarms++
		case good && len(found) > 0:
			sum.Marks++
		case good:
			sum.Same++
		case stopped && !spoilt:
			sum.Stopped++
		case len(found) > 0:
			sum.Noticed++
		case wrote(run):
			sum.Wrote++
		default:
			sum.Silent++
		}
		if len(found) == 0 && guarded {
			run.ID = fmt.Sprintf("%s %d", run.ID, len(version.Successes))
			version.Successes = append(version.Successes, run)
			known.Add(&run)
		}
	}
	return sum, nil
}

// begins says that the writes among the first calls of a run are those that the right run begins with.
func begins(right, run gate.Run, calls int) bool {
	writes := func(calls []gate.Call) []string {
		var texts []string
		for _, call := range calls {
			if call.Effect == string(sandbox.Write) {
				texts = append(texts, call.Tool+" "+sandbox.Canonical(call.Args))
			}
		}
		return texts
	}
	want, made := writes(right.Calls), writes(run.Calls[:calls])
	return len(made) <= len(want) && slices.Equal(made, want[:len(made)])
}

func wrote(run gate.Run) bool {
	return slices.ContainsFunc(run.Calls, func(call gate.Call) bool { return call.Effect == string(sandbox.Write) })
}

// Ordinary are the ways in which days differ although nothing has changed.
func Ordinary() []string {
	return []string{"as they are", "empty lists", "an empty list", "new words", "larger numbers", "holidays", "missing in some", "null in some", "new members"}
}

// Quiet makes an ordinary day of that sort.
func Quiet(sort string, seed uint64) func(automation.Run) automation.Run {
	return func(day automation.Run) automation.Run {
		rng := rand.New(rand.NewPCG(seed, uint64(day.Clock.Unix())))
		day.Answers = slices.Clone(day.Answers)
		alter := func(body []byte) []byte {
			value, err := orderedjson.Decode(payload(body))
			if err != nil {
				return body
			}
			made, err := orderedjson.Encode(quieter(rng, sort, "", value))
			if err != nil {
				return body
			}
			if len(body) > 0 && body[0] == '"' && isContainer(value) {
				made, _ = orderedjson.Encode(string(made))
			}
			return made
		}
		for i, answer := range day.Answers {
			if answer.Method == "GET" {
				day.Answers[i].Body = alter(answer.Body)
			}
		}
		return day
	}
}

func quieter(rng *rand.Rand, sort, key string, value any) any {
	switch v := value.(type) {
	case []any:
		records := len(v) > 0 && slices.IndexFunc(v, func(one any) bool { _, is := one.(*orderedjson.Object); return !is }) < 0
		switch {
		case !records:
		case sort == "empty lists", sort == "an empty list" && rng.IntN(3) == 0:
			return []any{}
		case sort == "holidays":
			v = v[:1]
		case sort == "missing in some" || sort == "null in some":
			first, _ := v[0].(*orderedjson.Object)
			member := first.Keys[rng.IntN(len(first.Keys))]
			for i, one := range v {
				o, _ := one.(*orderedjson.Object)
				if _, there := o.Fields[member]; !there || i == 0 || rng.IntN(2) == 0 {
					continue
				}
				if sort == "null in some" {
					o.Fields[member] = nil
				} else {
					o.Remove(member)
				}
			}
		}
		for i, one := range v {
			v[i] = quieter(rng, sort, key, one)
		}
		return v
	case *orderedjson.Object:
		for _, member := range slices.Clone(v.Keys) {
			v.Fields[member] = quieter(rng, sort, member, v.Fields[member])
		}
		if sort == "new members" {
			v.Put("trace_id", "t"+fmt.Sprint(rng.IntN(1000)))
		}
	case string:
		if sort == "new words" && constants[key] && rng.IntN(2) == 0 {
			return []string{"escalating", "on_loan", "partial"}[rng.IntN(3)]
		}
	case float64:
		if sort == "larger numbers" && v > 0 && v < 1e6 && !strings.Contains(key, "id") {
			return v * float64(2+rng.IntN(12))
		}
	}
	return value
}
