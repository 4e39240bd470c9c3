package drift_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// tally is what the gate made of candidates.
type tally struct {
	rightPlain, rightHeld, rightRefused int
	tooLate                             int // right ones of a run that had written something wrong before it failed
	// Wrong ones that something in the recording could tell.
	refused, held, accepted int
	// Wrong ones that nothing in the recording could tell.
	untold, untoldAccepted int
	// By reason: wrong ones that it alone catches, right ones that it alone holds, all of each.
	only, harm, wrong, right map[string]int
	examples                 []string
}

func newTally() *tally {
	return &tally{only: map[string]int{}, harm: map[string]int{}, wrong: map[string]int{}, right: map[string]int{}}
}

// reasonsOf are the rules that speak in a judgement, each once.
func reasonsOf(j gate.Judgement) []string {
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

func (c *tally) add(name string, became drift.Applied, recorded bool, j gate.Judgement) {
	rules := reasonsOf(j)
	if became == drift.Right {
		for _, rule := range rules {
			c.right[rule]++
		}
		switch {
		case j.Verdict == gate.Different && j.Divergence.Run == j.FailingRun.ID:
			c.tooLate++
		case j.Verdict == gate.Different:
			c.rightRefused++
			c.examples = append(c.examples, fmt.Sprintf("RIGHT REFUSED %s: %+v", name, *j.Divergence))
		case j.Held:
			c.rightHeld++
			if len(rules) == 1 {
				c.harm[rules[0]]++
			}
			c.examples = append(c.examples, fmt.Sprintf("RIGHT HELD %s: %s", name, strings.Join(j.Reasons, "; ")))
		default:
			c.rightPlain++
		}
		return
	}
	if !recorded {
		c.untold++
		if j.Verdict == gate.Identical && !j.Held {
			c.untoldAccepted++
		}
		return
	}
	for _, rule := range rules {
		c.wrong[rule]++
	}
	switch {
	case j.Verdict == gate.Different:
		c.refused++
	case j.Held:
		c.held++
		if len(rules) == 1 {
			c.only[rules[0]]++
			c.examples = append(c.examples, fmt.Sprintf("ONLY %s: %s: %s", rules[0], name, strings.Join(j.Reasons, "; ")))
		}
	case j.Verdict == gate.Identical:
		c.accepted++
		c.examples = append(c.examples, "WRONG ACCEPTED "+name)
	default:
		c.held++ // it would be rehearsed
	}
}

func (c *tally) String() string {
	var b strings.Builder
	right := c.rightPlain + c.rightHeld + c.rightRefused
	fmt.Fprintf(&b, "right: %d, accepted plainly %d (%.1f %%), held %d, refused %d; too late for %d more\n", right, c.rightPlain, 100*float64(c.rightPlain)/float64(max(1, right)), c.rightHeld, c.rightRefused, c.tooLate)
	fmt.Fprintf(&b, "wrong that the recording could tell: %d, refused %d, held %d, accepted %d\n", c.refused+c.held+c.accepted, c.refused, c.held, c.accepted)
	fmt.Fprintf(&b, "wrong that nothing in it could tell: %d, accepted %d\n", c.untold, c.untoldAccepted)
	rules := map[string]bool{}
	for _, counts := range []map[string]int{c.wrong, c.right} {
		for rule := range counts {
			rules[rule] = true
		}
	}
	var names []string
	for rule := range rules {
		names = append(names, rule)
	}
	slices.SortFunc(names, func(a, b string) int { return c.only[b] - c.only[a] })
	fmt.Fprintf(&b, "%-40s %12s %12s %12s %12s\n", "reason", "wrong, alone", "wrong, all", "right, alone", "right, all")
	for _, rule := range names {
		fmt.Fprintf(&b, "%-40s %12d %12d %12d %12d\n", rule, c.only[rule], c.wrong[rule], c.harm[rule], c.right[rule])
	}
	return b.String()
}

// TestCandidates judges, for changes of all automations, what the templates propose and what
// a model in a hurry makes of their right fixes, and counts by reason which wrong ones it
// alone catches and which right ones it alone holds (`make candidates`).
func TestCandidates(t *testing.T) {
	t.Parallel()
	share, most, full := 149, 4, os.Getenv("KINTSUGI_CANDIDATES") != ""
	halvesShown := "02"
	seed := uint64(1)
	if full {
		_, err := fmt.Sscan(os.Getenv("KINTSUGI_CANDIDATES")+" 5 8 1 01", &share, &most, &seed, &halvesShown)
		require.NoError(t, err)
	}
	all := everything(t)
	tallies := [2]*tally{newTally(), newTally()}
	var mu sync.Mutex
	var group sync.WaitGroup
	limit := make(chan struct{}, 2)
	for i, a := range all {
		if full && !strings.Contains(halvesShown, fmt.Sprint(i%2)) {
			continue
		}
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			scene, err := drift.Prepare(t.Context(), runner(), a, seed)
			if err != nil {
				t.Error(err)
				return
			}
			for n, fault := range scene.Faults(drift.Kinds(), 1) {
				if (n+i)%share != 0 {
					continue
				}
				m, err := scene.Measure(t.Context(), fault)
				if err != nil {
					t.Error(err)
					return
				}
				note := func(way, code string, j gate.Judgement) {
					became, recorded, err := scene.Tell(t.Context(), fault, code)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					tallies[i%2].add(fmt.Sprintf("%s | %s | %s | %s\n%s", a.Name, fault.Kind.Name, fault.Place, way, changedLines(a.Code, code)), became, recorded, j)
				}
				right := ""
				for _, one := range m.Result.Tried {
					if one.Judgement.FailingRun.Status == "failed" {
						continue
					}
					note("template", one.Candidate.Code, one.Judgement)
					if became, _, _ := scene.Tell(t.Context(), fault, one.Candidate.Code); right == "" && became == drift.Right {
						right = one.Candidate.Code
					}
				}
				if right == "" {
					continue
				}
				for _, v := range scene.Variants(fault, right, most) {
					j, err := m.Gate.Judge(t.Context(), v.Code)
					if err != nil {
						t.Error(err)
						return
					}
					if j.FailingRun.Status != "failed" {
						note(v.Way, v.Code, j)
					}
				}
			}
		})
	}
	group.Wait()
	if full {
		for half, tally := range tallies {
			t.Logf("half %d\n%s", half, tally)
			t.Log("\n" + strings.Join(tally.examples, "\n"))
		}
		return
	}
	for _, c := range tallies {
		require.Zero(t, c.rightRefused, "%s", strings.Join(c.examples, "\n"))
	}
}

func changedLines(old, code string) string {
	known := map[string]bool{}
	for line := range strings.SplitSeq(old, "\n") {
		known[line] = true
	}
	var b strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		if !known[line] {
			b.WriteString("      " + strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}
