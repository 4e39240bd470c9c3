package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// taskFixer is a fixer that works on the task itself, not on its evidence alone.
type taskFixer interface {
	repair.Fixer
	at(j *job) repair.Fixer
}

// fixers are those that the workflow's settings name and that there are, in their order, after fixes that were
// confirmed on other workflows. These are asked for once more at the end, so that workflows which fail at the same
// moment profit from each other. Only a model can read a person's correction, so a corrected task begins there.
func (j *job) fixers() []repair.Fixer {
	names := j.state.Settings.WithDefaults().Fixers
	if from := slices.Index(names, workflow.FixerModel); from >= 0 && len(j.open.Corrections) > 0 && j.config.Fixers[workflow.FixerModel] != nil {
		names = names[from:]
	}
	if len(j.open.Corrections) == 0 && names[0] != workflow.FixerPerson {
		names = slices.Concat([]string{FixerGroup}, names, []string{FixerGroup})
	}
	var fixers []repair.Fixer
	for _, name := range names {
		fixer, known := j.config.Fixers[name]
		if !known {
			continue
		}
		if one, is := fixer.(taskFixer); is {
			fixer = one.at(j)
		}
		fixers = append(fixers, noted{fixer, j})
	}
	return fixers
}

// noted is a fixer whose candidates are on the thread as soon as they are judged.
type noted struct {
	repair.Fixer
	job *job
}

// Propose implements [repair.Fixer].
func (n noted) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	return n.Fixer.Propose(ctx, evidence, func(ctx context.Context, candidate repair.Candidate) (gate.Judgement, error) {
		judged, err := judge(ctx, candidate)
		if err != nil {
			return judged, err
		}
		return judged, n.job.note(ctx, repair.Judged{Candidate: candidate, Judgement: judged})
	})
}

// note keeps a candidate and its verdict, once however often it is judged.
func (j *job) note(ctx context.Context, one repair.Judged) error {
	if j.hasTried(one.Candidate.Code) {
		return nil
	}
	j.tried = append(j.tried, one)
	sum := sha256.Sum256([]byte(one.Candidate.Code))
	return j.thread.Judged(ctx, thread.JudgeCandidate{
		Fixer: one.Candidate.Fixer + " " + one.Candidate.Template, Comment: one.Candidate.Comment,
		Diff:    udiff.Unified("version "+j.base.Version.String(), "candidate", j.base.Code, one.Candidate.Code),
		Verdict: one.Judgement.Verdict, Divergence: rehearsal.DivergenceText(one.Judgement.Divergence), Diverges: divergent(one.Judgement.Divergence),
		Reasons: one.Judgement.Reasons,
	}, j.round+"/"+hex.EncodeToString(sum[:]))
}

func (j *job) hasTried(code string) bool {
	return slices.ContainsFunc(j.tried, func(one repair.Judged) bool { return one.Candidate.Code == code })
}

// passing says that something was found that can be handed in, if only to a person.
func (j *job) passing() bool { return slices.ContainsFunc(j.tried, repair.Judged.Passes) }

// asking says that the task waits for a person's answer.
func (j *job) asking(s workflow.State) bool {
	return slices.ContainsFunc(s.Questions, func(q workflow.Question) bool { return q.Task == j.open.Task })
}
