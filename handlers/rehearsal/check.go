package rehearsal

import (
	"context"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The outcomes of a recorded run on a new script.
const (
	CheckSame         = "same"
	CheckDiffers      = "differs"
	CheckUnverifiable = "unverifiable" // it needs an answer that was never recorded
	CheckExcluded     = "excluded"     // the active script does not repeat this run either: it says nothing
)

// CheckedRun is what a new script makes of one recorded run.
type CheckedRun struct {
	Run    string `json:"run"`
	Result string `json:"result"`
	At     string `json:"at,omitempty"` // where it parts from the record
	// Differs are all things in which it comes out otherwise.
	Differs []gate.Difference `json:"differs,omitempty"`
}

// SaveCheck is what a new script makes of the recorded runs.
type SaveCheck struct {
	Against      string       `json:"against"` // the version whose runs they are, empty if there is none
	Same         int          `json:"same"`
	Differ       int          `json:"differ"`
	Unverifiable int          `json:"unverifiable"`
	Excluded     int          `json:"excluded"`
	Exempted     int          `json:"exempted"` // declared wrong by a person, or suspected: left out
	Runs         []CheckedRun `json:"runs"`     // oldest first
}

// Sentence is the check in one line.
func (c SaveCheck) Sentence() string {
	if len(c.Runs) == 0 {
		return "There are no recorded runs to check it against."
	}
	text := fmt.Sprintf("Checked on %d recorded runs: %d the same, %d differ, %d unverifiable", len(c.Runs), c.Same, c.Differ, c.Unverifiable)
	if c.Excluded > 0 {
		text += fmt.Sprintf(", %d say nothing", c.Excluded)
	}
	return text + "."
}

// CheckSave replays the recorded successes, at most so many of the newest, on another script: the gate's question for a
// save by the planner or a person, which may change behaviour, but not unseen. Where the active major has fewer, as after a
// rollback, those of earlier ones are taken: a run that the active script does not repeat says nothing. Nothing is sent:
// every call answers from the run's own journal.
func (e *Explorer) CheckSave(ctx context.Context, id, code string, most int) (SaveCheck, error) {
	check := SaveCheck{Runs: []CheckedRun{}}
	state, err := e.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return check, err
	}
	active, found := state.Script(state.Active)
	if !found {
		return check, nil
	}
	check.Against = active.Version.String()
	var successes []string
	for major := active.Version.Major; major > 0 && len(successes) < most; major-- {
		earlier, err := e.Recordings.Successes(ctx, id, major)
		if err != nil {
			return check, fmt.Errorf("rehearsal.Explorer: list recorded successes: %w", err)
		}
		successes = append(successes, earlier...)
	}
	kept := slices.DeleteFunc(slices.Clone(successes), func(run string) bool { return !state.IsEvidence(run) })
	check.Exempted = len(successes) - len(kept)
	kept = kept[:min(len(kept), most)]
	slices.Reverse(kept)
	for _, of := range kept {
		recorded, err := e.Commands.LoadRun(ctx, of)
		if commands.Lost(err) {
			continue
		}
		if err != nil {
			return check, err
		}
		one, err := CheckRun(ctx, e.Sandbox, state.Zone, active.Code, code, recorded)
		if err != nil {
			return check, fmt.Errorf("rehearsal.Explorer: replay run %s: %w", of, err)
		}
		check.add(one)
	}
	return check, nil
}

func (c *SaveCheck) add(one CheckedRun) {
	c.Runs = append(c.Runs, one)
	switch one.Result {
	case CheckSame:
		c.Same++
	case CheckDiffers:
		c.Differ++
	case CheckUnverifiable:
		c.Unverifiable++
	default:
		c.Excluded++
	}
}

// CheckRun replays a run on other code than its own.
func CheckRun(ctx context.Context, runner sandbox.Runner, zone, own, code string, recorded run.State) (CheckedRun, error) {
	past := RecordedRun(recorded)
	again, err := gate.Reproduce(ctx, runner, code, zone, &past)
	if err != nil || again.Reproduced {
		return CheckedRun{Run: recorded.Run, Result: CheckSame}, err
	}
	before, err := gate.Reproduce(ctx, runner, own, zone, &past)
	if err != nil {
		return CheckedRun{}, err
	}
	one := CheckedRun{Run: recorded.Run, Result: CheckDiffers, At: DivergenceText(again.Divergence), Differs: again.Differences}
	switch {
	case !before.Reproduced:
		one.Result = CheckExcluded
	case again.Unverifiable():
		one.Result = CheckUnverifiable
	}
	return one, nil
}
