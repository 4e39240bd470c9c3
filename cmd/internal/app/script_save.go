package app

import (
	"context"
	"log/slog"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/planning"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// Save saves the next major version. The script of an agent may go only to hosts that a person named, is
// checked on the recorded runs, and has to repeat them in mode proven.
func (s *Scripts) Save(ctx context.Context, logger *slog.Logger, id string, save workflow.SaveScript, meta commands.Meta) (commands.Result, error) {
	if meta.Holder == installation.HeldByAgent {
		if earlier, err := s.Commands.Earlier(ctx, workflow.Stream(id), meta.CommandID); err != nil {
			return commands.Result{}, err
		} else if earlier == nil {
			if save.Comment, err = s.judged(ctx, logger, id, save); err != nil {
				return commands.Result{}, err
			}
		}
	}
	if save.Packages == nil {
		var err error
		if save.Packages, err = PackagesOf(ctx, save.Code); err != nil {
			return commands.Result{}, err
		}
	}
	return s.Commands.SaveScript(ctx, id, save, meta)
}

// judged is the comment of what an agent saves, with what was found about it.
func (s *Scripts) judged(ctx context.Context, logger *slog.Logger, id string, save workflow.SaveScript) (comment string, err error) {
	state, err := s.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return "", err
	}
	if _, err := state.ByAgent(save); err != nil {
		return "", err // before runs are replayed
	}
	strange := egress.Unnamed(save.Code, egress.OfAgent(state, egress.KnownPlaces(ctx, s.HandlerQueries, id, state.Active.Major)))
	if len(strange) > 0 && state.Status != workflow.StatusDraft {
		return "", fault.New(fault.Forbidden, "not saved: the workflow runs by itself, and no person has named %s. Ask the person, by name of the host, whether the script may go there: "+
			"'kintsugi workflow settings %s --allow-host HOST' lets it", strings.Join(strange, ", "), id)
	}
	err = s.Explore(ctx, logger, func(e *rehearsal.Explorer) error {
		check, err := e.CheckSave(ctx, id, save.Code, SuccessesJudged)
		if err != nil {
			return err
		}
		if mode := state.Settings.WithDefaults().AutoFix; mode == workflow.ModeProven && state.Status != workflow.StatusDraft && check.Differ+check.Unverifiable > 0 {
			return fault.New(fault.Forbidden, "not saved: in mode %s only what repeats the recorded runs is active without a person. %s Give the script to a person to save", mode, check.Sentence())
		}
		comment = planning.SavedComment(save.Comment, check, strange)
		return nil
	})
	return comment, err
}
