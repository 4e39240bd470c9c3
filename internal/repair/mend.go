package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Judged is a candidate with what the gate found.
type Judged struct {
	Candidate Candidate
	Judgement gate.Judgement
}

// Result is what a repair came to.
type Result struct {
	// Best is the candidate to apply, or, if Held, the one to show first. Nil if no
	// candidate lets the failing run pass and keeps what worked.
	Best *Judged
	// Held says that a person decides, Reasons why.
	Held    bool
	Reasons []string
	// Alternatives are other candidates that pass and come to another outcome than Best.
	Alternatives []Judged
	// Tried are all candidates that were judged, in that order.
	Tried []Judged
	// Explanation is for people: what failed, what changed, what was tried.
	Explanation string
}

// Gate judges candidates. *gate.Gate is one.
type Gate interface {
	Judge(ctx context.Context, code string) (gate.Judgement, error)
}

// Walker is a gate that can go on, without a write, where a candidate comes to what was never recorded.
type Walker interface {
	// Walk gives the evidence with what was read there: more. Then the candidate is judged anew, and if it fails there, the fixer
	// is asked again.
	Walk(ctx context.Context, code string) (grown Evidence, more bool, err error)
}

// mostWalks is how often one fixer is asked again because there is more evidence.
const mostWalks = 12

// Mend lets the fixers propose, in their order, each candidate through the gate, and
// chooses. A fixer is asked only if those before it found nothing that may be applied
// without a person. An error is the gate's, a fixer's own or the context's.
func Mend(ctx context.Context, proof Gate, evidence Evidence, fixers ...Fixer) (Result, error) {
	var result Result
	var explanations []string
	walker, _ := proof.(Walker)
	for _, fixer := range fixers {
		explanation, before := "", slices.Clone(result.Tried)
		for range mostWalks {
			grew := false
			judge := func(ctx context.Context, candidate Candidate) (gate.Judgement, error) {
				if at := slices.IndexFunc(result.Tried, func(j Judged) bool { return j.Candidate.Code == candidate.Code }); at >= 0 {
					return result.Tried[at].Judgement, nil
				}
				judgement, err := proof.Judge(ctx, candidate.Code)
				if err != nil {
					return gate.Judgement{}, fmt.Errorf("repair: judge: %w", err)
				}
				if walker != nil && judgement.Rehearsable {
					grown, more, err := walker.Walk(ctx, candidate.Code)
					if err != nil {
						return gate.Judgement{}, fmt.Errorf("repair: rehearse: %w", err)
					}
					if more {
						if judgement, err = proof.Judge(ctx, candidate.Code); err != nil {
							return gate.Judgement{}, fmt.Errorf("repair: judge: %w", err)
						}
						// Earlier candidates knew less of what has changed.
						evidence, grew, result.Tried = grown, true, slices.Clone(before)
					}
				}
				result.Tried = append(result.Tried, Judged{candidate, judgement})
				return judgement, nil
			}
			var err error
			if explanation, err = fixer.Propose(ctx, evidence, judge); err != nil {
				return result, fmt.Errorf("repair: fixer %s: %w", fixer.Name(), err)
			}
			if result.choose(); !grew || result.Best != nil && !result.Held {
				break
			}
		}
		if explanation != "" {
			explanations = append(explanations, explanation)
		}
		if result.Best != nil && !result.Held && result.Best.Judgement.Verdict == gate.Identical {
			break
		}
	}
	result.Explanation = strings.Join(explanations, "\n\n")
	return result, nil
}

// Passes says that a candidate is worth handing in, if only to a person.
func (j Judged) Passes() bool { return passes(j.Judgement) }

// passes says that a candidate may be worth applying: the failing run passes and nothing
// that worked differs, or only calls that a rehearsal can make stand in between.
func passes(j gate.Judgement) bool {
	switch j.Verdict {
	case gate.Identical:
		return j.FailingRun.Status == "succeeded"
	case gate.Unverifiable:
		return j.FailingRun.Status == "succeeded" || j.Rehearsable
	}
	return false
}

// Choose is what a repair came to that tried these candidates.
func Choose(tried []Judged) Result {
	r := Result{Tried: tried}
	r.choose()
	return r
}

// choose picks the best candidate and says whether a person has to look at it. Precision
// comes before reach: whatever is not clear is held.
func (r *Result) choose() {
	r.Best, r.Held, r.Reasons, r.Alternatives = nil, false, nil, nil
	var ranked []Judged
	for _, one := range r.Tried {
		// An empty value in place of one that decided is worth nothing, not even to a person, and half a fix is worth less than
		// an account of what changed.
		if passes(one.Judgement) && !(one.Candidate.Masking && len(one.Judgement.Reasons) > 0) && !one.half() {
			ranked = append(ranked, one)
		}
	}
	if len(ranked) == 0 {
		return
	}
	slices.SortStableFunc(ranked, func(a, b Judged) int {
		for _, order := range []int{
			compareFlags(b.clear(), a.clear()),
			compareFlags(b.Judgement.Verdict == gate.Identical, a.Judgement.Verdict == gate.Identical),
			compareFlags(a.Candidate.Masking, b.Candidate.Masking),
			compareFlags(a.doubtful(), b.doubtful()),
		} {
			if order != 0 {
				return order
			}
		}
		switch {
		case a.Candidate.Score > b.Candidate.Score:
			return -1
		case a.Candidate.Score < b.Candidate.Score:
			return 1
		}
		return 0
	})
	best := ranked[0]
	r.Best = &best
	r.Reasons = append(slices.Clone(best.Candidate.Doubts), best.Judgement.Reasons...)
	if best.Judgement.Unproved != "" {
		r.Reasons = append(r.Reasons, best.Judgement.Unproved)
	}
	shown := map[string]bool{outcomeOf(best): true}
	disagree := false
	for _, other := range ranked[1:] {
		if shown[outcomeOf(other)] {
			continue
		}
		shown[outcomeOf(other)] = true
		r.Alternatives = append(r.Alternatives, other)
		disagree = disagree || !outweighs(best, other)
	}
	if disagree {
		r.Reasons = append(r.Reasons, "other candidates pass as well and come to another outcome of the failing run")
	}
	r.Held = best.Judgement.Held || len(r.Reasons) > 0
}

func (j Judged) doubtful() bool {
	return len(j.Candidate.Doubts) > 0 || j.Judgement.Held
}

// clear says that nothing asks for a person, and that the value was found rather than hidden.
func (j Judged) clear() bool { return !j.doubtful() && !j.Candidate.Masking }

// half says that the gate has shown that the templates did not find all that changed.
func (j Judged) half() bool { return j.Candidate.Fixer == Templates{}.Name() && j.Judgement.Half }

// outweighs says that the evidence between two candidates is clear: one finds a value
// that the other hides, or is clear where the gate holds the other, or was proven where the other
// was not, or fits much better. So an agent that improves is not held for what it tried before.
func outweighs(best, other Judged) bool {
	switch {
	case other.Candidate.Masking && !best.Candidate.Masking:
		return true
	case best.clear() && other.Judgement.Held:
		return true
	case best.Judgement.Verdict == gate.Identical && other.Judgement.Verdict != gate.Identical:
		return true
	case best.Candidate.Score == 0 || other.Candidate.Score == 0:
		return best.clear() && other.doubtful() // a fixer that cannot tell
	}
	if len(best.Candidate.Doubts) == 0 && len(other.Candidate.Doubts) > 0 {
		return best.Candidate.Score > other.Candidate.Score
	}
	return best.Candidate.Score >= other.Candidate.Score+clearMargin
}

// outcomeOf identifies what a candidate makes of the failing run.
func outcomeOf(j Judged) string {
	return gate.End(j.Judgement.FailingRun.Output, j.Judgement.FailingRun.Writes)
}

func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
