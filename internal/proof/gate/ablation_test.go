package gate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// trial is a subject with candidates that are known to be right or wrong.
type trial struct {
	name       string
	subject    func() gate.Subject
	good, bad  map[string]string // code by name
	unprovable map[string]bool   // wrong ones that nothing recorded can tell
}

func trials(t *testing.T) []trial {
	var all []trial
	for _, dir := range caseDirs(t) {
		var about struct {
			Expected struct {
				Bad map[string]string `json:"bad"`
			} `json:"expected"`
		}
		readJSON(t, filepath.Join(dir, "case.json"), &about)
		one := trial{name: filepath.Base(dir), good: map[string]string{}, bad: map[string]string{}, unprovable: map[string]bool{}}
		one.subject = func() gate.Subject { return subjectOf(readBundle(t, filepath.Join(dir, "bundle.json"))) }
		good, _ := filepath.Glob(filepath.Join(dir, "good", "*.js"))
		for _, path := range good {
			one.good[filepath.Base(path)] = readText(t, path)
		}
		for name, label := range about.Expected.Bad {
			one.bad[name] = readText(t, filepath.Join(dir, "bad", name))
			one.unprovable[name] = label == hard
		}
		all = append(all, one)
	}
	for _, c := range slices.Concat(changes, services) {
		one := trial{name: c.name, good: map[string]string{}, bad: map[string]string{}, unprovable: map[string]bool{}}
		one.subject = func() gate.Subject { return subject(t, c.code, c.old, c.fresh) }
		for name, edits := range c.good {
			one.good[name] = edited(t, c.code, edits...)
		}
		for name, w := range c.bad {
			one.bad[name] = edited(t, c.code, w.edits...)
			one.unprovable[name] = w.want == hard
		}
		all = append(all, one)
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		r := rules[name]
		one := trial{name: name, good: map[string]string{}, bad: map[string]string{}}
		one.subject = func() gate.Subject { return subject(t, r.code, r.old, r.fresh) }
		for name, edits := range r.held {
			one.bad[name] = edited(t, r.code, edits...)
		}
		for name, edits := range r.free {
			one.good[name] = edited(t, r.code, edits...)
		}
		all = append(all, one)
	}
	return all
}

// TestAblation prints, for each reason to hold, the wrong candidates of all cases that it
// alone catches and the right ones that it alone holds (KINTSUGI_ABLATION=1).
func TestAblation(t *testing.T) {
	if os.Getenv("KINTSUGI_ABLATION") == "" {
		return // `make candidates` asks for it: TestCasesVerdicts and its like judge the same candidates
	}
	type count struct{ wrongAlone, wrong, rightAlone, right int }
	for half := range 2 {
		counts := map[string]*count{}
		at := func(rule string) *count {
			if counts[rule] == nil {
				counts[rule] = &count{}
			}
			return counts[rule]
		}
		plain, held, refused, accepted, caught, differ := 0, 0, 0, 0, 0, 0
		var lines []string
		for i, trial := range trials(t) {
			if i%2 != half {
				continue
			}
			opened := openGate(t, trial.subject())
			for _, name := range slices.Sorted(maps.Keys(trial.good)) {
				j := judge(t, opened, trial.good[name])
				rules := rulesOf(j)
				for _, rule := range rules {
					at(rule).right++
					if len(rules) == 1 {
						at(rule).rightAlone++
					}
				}
				switch {
				case j.Verdict == gate.Different:
					refused++
					lines = append(lines, fmt.Sprintf("RIGHT REFUSED %s | %s: %+v", trial.name, name, *j.Divergence))
				case j.Held:
					held++
					lines = append(lines, fmt.Sprintf("RIGHT HELD %s | %s: %q", trial.name, name, j.Reasons))
				default:
					plain++
				}
			}
			for _, name := range slices.Sorted(maps.Keys(trial.bad)) {
				j := judge(t, opened, trial.bad[name])
				if trial.unprovable[name] {
					continue
				}
				rules := rulesOf(j)
				for _, rule := range rules {
					at(rule).wrong++
					if len(rules) == 1 {
						at(rule).wrongAlone++
						lines = append(lines, fmt.Sprintf("ONLY %s | %s: %q", trial.name, name, j.Reasons))
					}
				}
				switch {
				case j.Verdict == gate.Different:
					differ++
				case j.Held:
					caught++
				case j.Verdict == gate.Identical:
					accepted++
					lines = append(lines, fmt.Sprintf("WRONG ACCEPTED %s | %s", trial.name, name))
				}
			}
		}
		text := fmt.Sprintf("right: plain %d, held %d, refused %d; wrong: different %d, held %d, accepted %d\n", plain, held, refused, differ, caught, accepted)
		for _, rule := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b].wrongAlone - counts[a].wrongAlone }) {
			text += fmt.Sprintf("%-45s %+v\n", rule, *counts[rule])
		}
		t.Logf("half %d\n%s%s", half, text, strings.Join(lines, "\n"))
	}
}

// rulesOf are the rules that speak in a judgement, each once.
func rulesOf(j gate.Judgement) []string {
	var rules []string
	for _, reason := range j.Reasons {
		rule, _, _ := strings.Cut(reason, ":")
		if strings.HasPrefix(reason, "if ") {
			rule = "another explanation"
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}
