package repair

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Evidence is everything a fixer gets to see.
type Evidence struct {
	Title     string
	Intent    string
	Code      string
	Version   string
	Zone      string        // IANA, default UTC
	Changelog []gate.Change // prior minors of the same major, newest first
	// Failure is the failing run's error as the sandbox reported it, with frames. Kept from
	// a reproduction if the run was recorded without a stack.
	Failure   sandbox.Error
	Failed    gate.Run
	Successes []gate.Run
}

// Candidate is one proposed script.
type Candidate struct {
	Code     string
	Comment  string // one line for people: "refunds now read latest_charge"
	Fixer    string // kind: templates, model …
	Template string // id and version of the template, or model and prompt hash
	Detail   string // where it comes from, in one line; empty if there is no more to say
	// Masking says that the edit hides a missing value rather than finding it.
	Masking bool
	// Score is how well the evidence supports the candidate, 0 to 1; 0 if the fixer cannot
	// tell. It ranks candidates that the gate lets through.
	Score float64
	// Doubts are the fixer's own reasons for asking a person first, for people.
	Doubts []string
}

// Judge asks the gate about a candidate. A fixer may try again on what it learns.
type Judge func(ctx context.Context, candidate Candidate) (gate.Judgement, error)

// Fixer turns evidence into candidates: it calls judge for each, best first, and
// returns when it has no more to offer. It only proposes; what is done with a
// candidate is decided from the judgements. The explanation is for people, when nothing passed.
type Fixer interface {
	Name() string
	Propose(ctx context.Context, evidence Evidence, judge Judge) (explanation string, err error)
}
