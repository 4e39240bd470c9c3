package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// FixerGroup is the kind of a fix that was taken from another workflow.
const FixerGroup = "group"

// Relatives finds fixes that were confirmed on other workflows which failed of the same cause.
type Relatives interface {
	// Related are such fixes for a failed run of a workflow, the newest first. They include
	// everything that was confirmed before the call.
	Related(ctx context.Context, workflow, run string) ([]Relative, error)
}

// Relative is a confirmed fix of another workflow.
type Relative struct {
	Workflow string
	Title    string
	Proposal string
}

// GroupFixer offers the fixes of others, unless something was found already: the same edit, adapted to
// this workflow's script. Each goes through this workflow's own gate, as every candidate does.
type GroupFixer struct{ Relatives Relatives }

var _ repair.Fixer = GroupFixer{}

// Name implements [repair.Fixer].
func (GroupFixer) Name() string { return FixerGroup }

// Propose implements [repair.Fixer]. Without a task there are no others.
func (GroupFixer) Propose(context.Context, repair.Evidence, repair.Judge) (string, error) {
	return "", errors.New("maintenance.GroupFixer: fixes of others are for a task: it is used by a Maintainer")
}

// at is the fixer at work on a task.
func (f GroupFixer) at(j *job) repair.Fixer { return related{f, j} }

// related is the fixer on one task.
type related struct {
	GroupFixer
	job *job
}

// Propose implements [repair.Fixer].
func (r related) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	if r.job.passing() {
		return "", nil
	}
	relatives, err := r.Relatives.Related(ctx, r.job.id, r.job.open.Run)
	if err != nil {
		return "", fmt.Errorf("maintenance.Maintainer: look for fixes of other workflows: %w", err)
	}
	for _, one := range relatives {
		candidate, found, err := r.candidate(ctx, one, evidence.Code)
		if err != nil {
			return "", err
		}
		if !found || r.job.hasTried(candidate.Code) {
			continue
		}
		judged, err := judge(ctx, candidate)
		if err != nil {
			return "", err
		}
		if handedIn(candidate, judged) {
			break
		}
	}
	return "", nil
}

// candidate is another workflow's fix, made in this code; false if it does not fit.
func (r related) candidate(ctx context.Context, one Relative, code string) (repair.Candidate, bool, error) {
	other, err := r.job.config.Commands.LoadWorkflow(ctx, one.Workflow)
	if err != nil {
		return repair.Candidate{}, false, err
	}
	proposal, known := other.Proposal(one.Proposal)
	base, there := other.Script(proposal.Base)
	fixed, became := scriptOf(other, one.Proposal) // of what a person accepted, it may be an alternative
	if !known || !there || !became {
		return repair.Candidate{}, false, nil
	}
	adapted, fits := repair.Adapt(base.Code, fixed.Code, code)
	if !fits || !parses(adapted) {
		return repair.Candidate{}, false, nil
	}
	made := proposal.Fixer.Kind + " " + proposal.Fixer.Version
	if proposal.Fixer.Kind == FixerGroup {
		made = proposal.Fixer.Version
	}
	candidate := repair.Candidate{
		Code: adapted, Comment: fixed.Comment, Fixer: FixerGroup, Template: made, Score: relatedScore,
		Detail: fmt.Sprintf("taken from fix %s, version %s of workflow %s (%s)", one.Proposal, fixed.Version, one.Workflow, strings.TrimSpace(one.Title)),
	}
	if v := proposal.Verification; v != nil {
		// A person answered this doubt for another workflow, so ask again for this one.
		candidate.Doubts = v.Doubts
	}
	return candidate, true, nil
}

func parses(code string) bool { return process.Check(code) == nil }

// relatedScore ranks a fix that did what it was to do in another workflow: above what only fits well.
const relatedScore = 0.9

// scriptOf is the version that a proposal became.
func scriptOf(s workflow.State, proposal string) (workflow.Script, bool) {
	for _, script := range s.Versions {
		if script.Proposal == proposal {
			return script, true
		}
	}
	return workflow.Script{}, false
}
