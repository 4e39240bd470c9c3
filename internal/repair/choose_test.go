package repair

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// verdicts is a gate that knows its judgements beforehand, by code.
type verdicts struct {
	known map[string]gate.Judgement
	asked []string
	err   error
}

func (v *verdicts) Judge(_ context.Context, code string) (gate.Judgement, error) {
	v.asked = append(v.asked, code)
	return v.known[code], v.err
}

// proposals is a fixer that offers fixed candidates.
type proposals struct {
	name       string
	candidates []Candidate
	says       string
	asked      *[]string
}

func (p proposals) Name() string { return p.name }

func (p proposals) Propose(ctx context.Context, _ Evidence, judge Judge) (string, error) {
	if p.asked != nil {
		*p.asked = append(*p.asked, p.name)
	}
	for _, candidate := range p.candidates {
		if _, err := judge(ctx, candidate); err != nil {
			return "", err
		}
	}
	return p.says, nil
}

func judged(verdict, output string) gate.Judgement {
	status := "succeeded"
	if verdict == gate.Different {
		status = "failed"
	}
	return gate.Judgement{Verdict: verdict, FailingRun: gate.FailingRun{Status: status, Output: json.RawMessage(output)}}
}

// TestChoice: what is clear is chosen, what is not is held, and nothing that the gate
// refused is ever offered.
func TestChoice(t *testing.T) {
	t.Parallel()
	held := judged(gate.Identical, `1`)
	held.Held, held.Reasons = true, []string{"fewer writes"}
	heldToo := judged(gate.Identical, `2`)
	heldToo.Held, heldToo.Reasons = true, []string{"outside the envelope"}
	halfFix := held
	halfFix.Half = true
	unproved := judged(gate.Identical, `1`)
	unproved.Held, unproved.Unproved = true, "not proved"
	needsRehearsal := judged(gate.Unverifiable, ``)
	needsRehearsal.FailingRun.Status, needsRehearsal.Rehearsable = "unanswerable", true
	for name, c := range map[string]struct {
		candidates   []Candidate
		known        map[string]gate.Judgement
		best         string
		held         bool
		alternatives int
	}{
		"one that passes": {
			candidates: []Candidate{{Code: "a", Score: 0.7}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`)}, best: "a",
		},
		"none that passes": {
			candidates: []Candidate{{Code: "a"}},
			known:      map[string]gate.Judgement{"a": judged(gate.Different, ``)},
		},
		"the gate's reasons hold": {
			candidates: []Candidate{{Code: "a", Score: 0.9}},
			known:      map[string]gate.Judgement{"a": held}, best: "a", held: true,
		},
		"the fixer's doubts hold": {
			candidates: []Candidate{{Code: "a", Score: 0.9, Doubts: []string{"another unit"}}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`)}, best: "a", held: true,
		},
		"two outcomes, equally likely": {
			candidates: []Candidate{{Code: "a", Score: 0.7}, {Code: "b", Score: 0.68}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": judged(gate.Identical, `2`)}, best: "a", held: true, alternatives: 1,
		},
		"two outcomes, one much likelier": {
			candidates: []Candidate{{Code: "b", Score: 0.6}, {Code: "a", Score: 0.9}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": judged(gate.Identical, `2`)}, best: "a", alternatives: 1,
		},
		"the same outcome in another key order": {
			candidates: []Candidate{{Code: "a", Score: 0.7}, {Code: "b", Score: 0.7}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `{"x":1,"y":2}`), "b": judged(gate.Identical, `{"y":2,"x":1}`)}, best: "a",
		},
		"finding before hiding": {
			candidates: []Candidate{{Code: "b", Score: 0.9, Masking: true}, {Code: "a", Score: 0.65}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": judged(gate.Identical, `2`)}, best: "a", alternatives: 1,
		},
		"two that cannot say how sure they are": {
			candidates: []Candidate{{Code: "a"}, {Code: "b"}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": judged(gate.Identical, `2`)}, best: "a", held: true, alternatives: 1,
		},
		"a model that improves: nothing to hold before what the gate holds": {
			candidates: []Candidate{{Code: "a"}, {Code: "b"}},
			known:      map[string]gate.Judgement{"a": held, "b": judged(gate.Identical, `2`)}, best: "b", alternatives: 1,
		},
		"nothing to hold before what the gate holds, though it is still to be rehearsed": {
			candidates: []Candidate{{Code: "a", Score: 0.9}, {Code: "b"}},
			known:      map[string]gate.Judgement{"a": held, "b": needsRehearsal}, best: "b", alternatives: 1,
		},
		"nothing to hold before what its own fixer doubts": {
			candidates: []Candidate{{Code: "a", Score: 0.9, Doubts: []string{"another unit"}}, {Code: "b"}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": judged(gate.Identical, `2`)}, best: "b", alternatives: 1,
		},
		"hiding is not above a find that the gate holds": {
			candidates: []Candidate{{Code: "a", Score: 0.9, Masking: true}, {Code: "b", Score: 0.6}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": heldToo}, best: "b", held: true, alternatives: 1,
		},
		"the gate holds both": {
			candidates: []Candidate{{Code: "a"}, {Code: "b"}},
			known:      map[string]gate.Judgement{"a": held, "b": heldToo}, best: "a", held: true, alternatives: 1,
		},
		"proven before to be rehearsed": {
			candidates: []Candidate{{Code: "b", Score: 0.9}, {Code: "a", Score: 0.65}},
			known:      map[string]gate.Judgement{"a": judged(gate.Identical, `1`), "b": needsRehearsal}, best: "a", alternatives: 1,
		},
		"half a fix of a template is not offered": {
			candidates: []Candidate{{Code: "a", Score: 0.9, Fixer: "templates"}},
			known:      map[string]gate.Judgement{"a": halfFix},
		},
		"half a fix of a model is": {
			candidates: []Candidate{{Code: "a"}},
			known:      map[string]gate.Judgement{"a": halfFix}, best: "a", held: true,
		},
		"what is not proved waits, whoever proposed it": {
			candidates: []Candidate{{Code: "a", Score: 0.9}},
			known:      map[string]gate.Judgement{"a": unproved}, best: "a", held: true,
		},
		"only to be rehearsed": {
			candidates: []Candidate{{Code: "a", Score: 0.9}},
			known:      map[string]gate.Judgement{"a": needsRehearsal}, best: "a",
		},
	} {
		opened := &verdicts{known: c.known}
		r, err := Mend(t.Context(), opened, Evidence{}, proposals{name: "p", candidates: c.candidates, says: "tried"})
		require.NoError(t, err)
		require.Len(t, r.Tried, len(c.candidates), name)
		require.Equal(t, "tried", r.Explanation)
		if c.best == "" {
			require.Nil(t, r.Best, name)
			continue
		}
		require.NotNil(t, r.Best, name)
		require.Equal(t, c.best, r.Best.Candidate.Code, name)
		require.Equal(t, c.held, r.Held, "%s: %q", name, r.Reasons)
		require.Equal(t, c.held, len(r.Reasons) > 0, name)
		require.Len(t, r.Alternatives, c.alternatives, name)
	}
}

// TestFixersInTheirOrder: a later fixer is asked only if those before found nothing to
// apply, and no candidate is judged twice.
func TestFixersInTheirOrder(t *testing.T) {
	t.Parallel()
	var asked []string
	opened := &verdicts{known: map[string]gate.Judgement{"bad": judged(gate.Different, ``), "good": judged(gate.Identical, `1`)}}
	r, err := Mend(t.Context(), opened, Evidence{},
		proposals{name: "first", candidates: []Candidate{{Code: "bad"}}, says: "no luck", asked: &asked},
		proposals{name: "second", candidates: []Candidate{{Code: "bad"}, {Code: "good", Score: 0.8}}, asked: &asked},
		proposals{name: "third", asked: &asked},
	)
	require.NoError(t, err)
	require.Equal(t, []string{"first", "second"}, asked)
	require.Equal(t, []string{"bad", "good"}, opened.asked)
	require.Equal(t, "good", r.Best.Candidate.Code)
	require.Equal(t, "no luck", r.Explanation)
}

// TestMendErrors: what the gate could not do is told with the fixer's name.
func TestMendErrors(t *testing.T) {
	t.Parallel()
	opened := &verdicts{err: errors.New("worker gone")}
	_, err := Mend(t.Context(), opened, Evidence{}, proposals{name: "first", candidates: []Candidate{{Code: "a"}}})
	require.ErrorContains(t, err, "first")
	require.ErrorContains(t, err, "worker gone")
}
