package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Automation is a script with what the outside answers it, day by day.
type Automation struct {
	Name   string
	Title  string
	Intent string
	Zone   string // IANA, empty means UTC
	Code   string
	// outside generates days; recorded are days that were written down. One of them is there.
	outside  string
	recorded []automation.Run
}

// separator stands between the script and the generator of what it is answered.
const separator = "// ---- outside"

// helpers are what every generator may call. Math.random is seeded with the day.
const helpers = `
const int = (from, to) => from + Math.floor(Math.random() * (to - from + 1));
const pick = (list) => list[int(0, list.length - 1)];
const chance = (p) => Math.random() < p;
const times = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const pad = (n, width) => String(n).padStart(width, '0');
const day = (n) => new Date(Date.UTC(2026, 2, 1 + n)).toISOString().slice(0, 10);
const cents = (from, to) => int(from * 100, to * 100) / 100;
const people = ['Ada Byron', 'Ben Okafor', 'Chen Wei', 'Dora Lind', 'Emil Novak', 'Fatima Noor', 'Gus Hale', 'Hana Sato'];
const cities = ['Lisbon', 'Oslo', 'Porto', 'Turin', 'Vienna', 'Zagreb', 'Ghent', 'Bilbao'];
const nouns = ['kettle', 'lantern', 'ladder', 'mirror', 'needle', 'basket', 'whistle', 'blanket', 'compass', 'saddle'];
const verbs = ['Repair', 'Paint', 'Deliver', 'Order', 'Review', 'Measure', 'Clean', 'Return'];
const text = () => pick(verbs) + ' the ' + pick(nouns) + ' for ' + pick(cities);
const email = (name) => name.toLowerCase().replace(' ', '.') + '@example.test';
`

// Load reads the compact automations: each file is a script whose first two comment lines
// are title and intent, a line that separates, and a function outside(n) that returns
// {input, trigger, zone, answers: {'https://…': body}} for day n. A body that is no text is sent
// as JSON; an address may begin with a method.
func Load(files fs.FS) ([]Automation, error) {
	names, err := fs.Glob(files, "*.js")
	if err != nil {
		return nil, fmt.Errorf("drift: list: %w", err)
	}
	var all []Automation
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("drift: load: %w", err)
		}
		code, outside, found := strings.Cut(string(text), separator)
		head := strings.SplitN(code, "\n", 3)
		if !found || len(head) < 3 || !strings.HasPrefix(head[0], "// ") || !strings.HasPrefix(head[1], "// ") {
			return nil, fmt.Errorf("drift: load %s: want a title and an intent as comments, a script, %q and a generator", name, separator)
		}
		all = append(all, Automation{
			Name: strings.TrimSuffix(path.Base(name), ".js"), Title: head[0][3:], Intent: head[1][3:],
			Code: strings.TrimSpace(head[2]) + "\n", outside: outside,
		})
	}
	return all, nil
}

// Recorded makes an automation of one whose days were written down, without the last of
// them, which met a change already.
func Recorded(a *automation.Automation) Automation {
	return Automation{Name: a.Slug, Title: a.Title, Intent: a.Intent, Zone: a.Zone, Code: a.Code, recorded: a.Runs[:len(a.Runs)-1]}
}

// generated is what a generator returns.
type generated struct {
	Input   json.RawMessage            `json:"input"`
	Trigger string                     `json:"trigger"`
	Answers map[string]json.RawMessage `json:"answers"`
}

// start is the morning of day 0.
var start = time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC)

// Day is what day n of the automation is given and answered; seed tells apart sets of days.
func (a *Automation) Day(ctx context.Context, runner sandbox.Runner, n int, seed uint64) (automation.Run, error) {
	input, err := orderedjson.Encode(map[string]int{"n": n})
	if err != nil {
		return automation.Run{}, err
	}
	clock := start.AddDate(0, 0, n)
	outcome, err := runner.Run(ctx, sandbox.Execution{
		Code:  helpers + a.outside + "\nfunction main(input) { return outside(input.n); }\n",
		Input: input, Seed: fmt.Sprintf("%s day %d of %d", a.Name, n, seed), Clock: clock, Affinity: a.Name,
	}, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "a generator asks nobody"}}, nil
	}))
	if err != nil {
		return automation.Run{}, fmt.Errorf("drift: day %d of %s: %w", n, a.Name, err)
	}
	if outcome.Error != nil {
		return automation.Run{}, fmt.Errorf("drift: day %d of %s: the generator failed with %s: %s", n, a.Name, outcome.Error.Name, outcome.Error.Message)
	}
	var made generated
	if err := json.Unmarshal(outcome.Output, &made); err != nil {
		return automation.Run{}, fmt.Errorf("drift: day %d of %s: %w", n, a.Name, err)
	}
	run := automation.Run{Trigger: made.Trigger, Input: made.Input, Clock: clock}
	if run.Trigger == "" {
		run.Trigger = "schedule"
	}
	if run.Input == nil {
		run.Input = json.RawMessage("{}")
	}
	for _, address := range sortedKeys(made.Answers) {
		method, at, named := strings.Cut(address, " ")
		if !named {
			method, at = "GET", address
		}
		run.Answers = append(run.Answers, automation.Answer{Method: method, URL: at, Status: 200, Body: made.Answers[address]})
	}
	return run, nil
}
