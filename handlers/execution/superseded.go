package execution

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// superseded is the failure of a run that may not go on, as later runs have changed some of the workflow's keys and files that its journal
// found or left. Its script would act on what the journal answers, do the work of those runs again, and set keys back.
func superseded(moved []string) sandbox.Error {
	return sandbox.Error{
		Class: sandbox.ClassLogic, Name: "ContinuationError", Code: failure.CodeOvertaken,
		Message: fmt.Sprintf("later runs of the workflow have changed what this one goes on with: %s. "+
			"If it goes on, it acts on what was there before, and may set that back", strings.Join(moved, ", ")),
	}
}

// claims are the calls whose answers and writes have to be so still when a run goes on: see [attempt.localCalls]. A run that has
// committed all of its calls has only its end left, so nothing that others have done since matters to it.
func (a *attempt) claims(ctx context.Context, s run.State) ([]hostcall.Answered, error) {
	committed := a.committed()
	if a.restart != nil || a.info.Regardless || s.Continues == "" && len(s.Calls) == 0 || s.HoldsBack && committed > 0 && committed >= len(s.Calls) {
		return nil, nil
	}
	return a.localCalls(ctx, s, a.info.Fresh, committed)
}

// localCalls are the calls on keys and files that a run made, and before them those of the runs that it
// continues; of these only the writes if its reads are made afresh. A run that holds back its writes has made those that it has committed.
func (a *attempt) localCalls(ctx context.Context, s run.State, fresh bool, committed int) ([]hostcall.Answered, error) {
	var calls []hostcall.Answered
	if s.Continues != "" {
		before, err := a.config.Commands.LoadRun(ctx, s.Continues)
		if err != nil {
			return nil, fmt.Errorf("the run that %s continues: %w", s.Run, err)
		}
		older, err := a.localCalls(ctx, before, false, len(before.Calls))
		if err != nil {
			return nil, err
		}
		for _, made := range older {
			if !fresh || made.Call.Effect == sandbox.Write {
				calls = append(calls, made)
			}
		}
	}
	for seq, made := range localOf(s) {
		if (!s.HoldsBack || seq <= committed) && !(rehearsal.Dropped(s) && made.Call.Effect == sandbox.Write) {
			calls = append(calls, made)
		}
	}
	return calls, nil
}

// localOf are the calls on keys and files that a run made itself, by their numbers, in their order.
func localOf(s run.State) iter.Seq2[int, hostcall.Answered] {
	return func(yield func(int, hostcall.Answered) bool) {
		at := s.Clock.UnixMilli()
		for _, call := range s.Calls {
			made := sandbox.Call{Tool: call.Tool, Args: call.Args, Effect: sandbox.Effect(call.Effect)}
			if call.From == "" && call.Returned && hostcall.Of(call.Tool).Local {
				if !yield(call.Seq, hostcall.Answered{Call: made, Reply: sandbox.Reply{Result: call.Result, Error: rehearsal.SandboxErrorOf(call.Error)}, AtMS: at}) {
					return
				}
			}
			at += call.MS
		}
	}
}
