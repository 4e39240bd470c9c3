package maintenance

import (
	"encoding/json"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// divergent is the run that comes out differently.
func divergent(d *gate.Divergence) string {
	if d == nil {
		return ""
	}
	return d.Run
}

func wideningOf(w *gate.Widening) *workflow.Widening {
	if w == nil {
		return nil
	}
	widening := &workflow.Widening{Hosts: w.Hosts, Writes: w.Writes}
	for _, use := range w.Secrets {
		widening.Secrets = append(widening.Secrets, workflow.SecretUse(use))
	}
	return widening
}

// VerificationOf is a judgement in the domain's words.
func VerificationOf(judged gate.Judgement) workflow.Verification {
	writes, err := json.Marshal(judged.FailingRun.Writes)
	if err != nil {
		writes = nil // arguments were JSON when they came
	}
	v := workflow.Verification{
		Verdict: workflow.Verdict(judged.Verdict), FailingRun: judged.FailingRun.Status, Output: judged.FailingRun.Output, Writes: writes,
		Replayed: judged.Replayed, Identical: judged.Identical, Excluded: judged.Excluded, Missing: judged.Missing,
		Divergence: rehearsal.DivergenceText(judged.Divergence), Reasons: judged.Reasons, Runs: judged.Runs, GateVersion: judged.GateVersion, Certificate: judged.Certificate,
		Diverges: divergent(judged.Divergence), Unverified: judged.Unverified, Widens: wideningOf(judged.Widens),
	}
	for _, one := range judged.FailingRun.Assumed {
		v.Assumed = append(v.Assumed, one.String())
	}
	if e := judged.FailingRun.Error; e != nil {
		v.FailingRun += ": " + e.Name + ": " + e.Message
	}
	return v
}

func mergeReasons(a, b []string) []string {
	merged := slices.Clone(a)
	for _, reason := range b {
		if !slices.Contains(merged, reason) {
			merged = append(merged, reason)
		}
	}
	return merged
}

func alternatives(judged []repair.Judged) []workflow.Alternative {
	var converted []workflow.Alternative
	for _, one := range judged {
		v := VerificationOf(one.Judgement)
		converted = append(converted, workflow.Alternative{Code: one.Candidate.Code, Comment: one.Candidate.Comment, Output: v.Output, Writes: v.Writes, Widens: v.Widens})
	}
	return converted
}
