package workflow_test

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A hook has a name that can stand in an address, and a sender has to prove itself in a way that is known.
func TestHooks(t *testing.T) {
	t.Parallel()
	created := given(t, WorkflowCreated{ID: "w", Title: "t"})
	good := Settings{Hooks: map[string]HookStyle{"orders": HookStandard, "push-2": HookGitHub, "t": HookToken}}
	created.When(ChangeSettings{Settings: good}).Then(SettingsChanged{Settings: good})
	for _, name := range []string{"", "-x", "Orders", "a/b", "ü", "a b"} {
		created.When(ChangeSettings{Settings: Settings{Hooks: map[string]HookStyle{name: HookToken}}}).ThenRefused(fault.Invalid, "no name of a hook")
	}
	created.When(ChangeSettings{Settings: Settings{Hooks: map[string]HookStyle{"x": "none"}}}).ThenRefused(fault.Invalid, "choose from standard")

	good.HookAnswersMS = map[string]int64{"orders": 60_000, "t": 1}
	created.When(ChangeSettings{Settings: good}).Then(SettingsChanged{Settings: good})
	for name, within := range map[string]int64{"orders": 0, "t": 60_001, "push-2": -1} {
		created.When(ChangeSettings{Settings: Settings{Hooks: good.Hooks, HookAnswersMS: map[string]int64{name: within}}}).ThenRefused(fault.Invalid, "a sender waits from 1 to 60000")
	}
	created.When(ChangeSettings{Settings: Settings{Hooks: good.Hooks, HookAnswersMS: map[string]int64{"other": 1}}}).ThenRefused(fault.Invalid, "no such hook")
}
