package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 1: a save by the planner or a person makes major + 1, minor 0.
func TestRule01SavesMakeMajors(t *testing.T) {
	t.Parallel()
	first := given(t, created).When(SaveScript{ScriptID: "s1", Code: codeV1, Comment: "first", Origin: OriginPlanner, Task: "plan-1"}).
		Then(ScriptSaved{ScriptID: "s1", Version: v10, Code: codeV1, SHA256: shaV1, Comment: "first", Origin: OriginPlanner, Task: "plan-1"})
	require.Equal(t, v10, first.State().Active)
	require.Equal(t, v10, first.State().LastConfirmed)

	saved := given(t, applied...).When(SaveScript{ScriptID: "s3", Code: codeV11, Origin: OriginPerson, Summary: "s", Diagram: "d"}).Events()
	require.Equal(t, ScriptSaved{
		ScriptID: "s3", Version: v20, Code: codeV11, SHA256: shaV11, Summary: "s", Diagram: "d", Origin: OriginPerson,
	}, saved[0], "a minor in between does not count")
}

// Rule 1: an applied fix makes minor = 1 + the highest minor ever used in that major,
// also of versions that were withdrawn.
func TestRule01FixesMakeMinorsNeverUsedBefore(t *testing.T) {
	t.Parallel()
	withdrawn := continuing.and(logicFailed("r2", v11, typeError)...).and(
		FixRegressed{Version: v11, Run: "r2"},
		Escalated{Reason: EscalatedSameError, Run: "r2", Withdrawn: []Version{v11}, Active: v10},
		WorkflowActivated{}, admitted("r3", v10))
	again := withdrawn.and(logicFailed("r3", v10, otherError)...).and(entered("t2", "r3", v10, 1), proposed("p2", "t2", "r3", v10))
	events := given(t, again...).When(JudgeFix{Proposal: "p2", ScriptID: "s", Verification: identical}).Events()
	require.Equal(t, FixApplied{Proposal: "p2", Version: v12}, events[1])
}

func TestRule01VersionsOrderAsNumbers(t *testing.T) {
	t.Parallel()
	two, ten := Version{Major: 1, Minor: 2}, Version{Major: 1, Minor: 10}
	require.Negative(t, two.Compare(ten))
	require.Positive(t, Version{Major: 10}.Compare(Version{Major: 9, Minor: 99}))
	require.Equal(t, "1.10", ten.String())
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	v, err := ParseVersion("2.10")
	require.NoError(t, err)
	require.Equal(t, Version{Major: 2, Minor: 10}, v)
	for _, wrong := range []string{"", "1", "1.", ".1", "0.1", "1.-1", "01.0", "1.00", "1.0.0", " 1.0", "1.0 ", "+1.0", "1.x", "99999999999999999999.0"} {
		_, err := ParseVersion(wrong)
		require.ErrorContains(t, err, "like 1.0", "%q", wrong)
	}
}

// Rule 2: a person's rollback is a new save that names what it restored.
func TestRule02RollbackIsANewVersion(t *testing.T) {
	t.Parallel()
	rolled := given(t, applied...).When(Rollback{To: v10, ScriptID: "s9"}).
		Then(ScriptSaved{
			ScriptID: "s9", Version: v20, Code: codeV1, SHA256: shaV1, Comment: "Roll back to 1.0",
			Summary: "lists refunds", Diagram: "graph LR", Origin: OriginRollback, Restored: &v10,
		})
	require.Equal(t, v20, rolled.State().Active)
	require.Len(t, rolled.State().Versions, 3, "nothing is overwritten")
	rolled.When(Rollback{To: Version{Major: 7}, ScriptID: "s"}).ThenRefused(fault.NotFound, "no version 7.0")
}

// Rule 2: a rollback exempts runs in its own append, or nothing is done.
func TestRule02RollbackExemptsOrDoesNothing(t *testing.T) {
	t.Parallel()
	const success = "r2"
	both := given(t, confirmed...).When(Rollback{To: v10, ScriptID: "s9", Exempt: []string{success}, ExemptReason: "wrong amounts"}).ThenTypes(TypeRunExempted, TypeScriptSaved)
	require.True(t, both.State().Exempted(success))
	given(t, confirmed...).When(Rollback{To: v10, ScriptID: "s9", Exempt: []string{success, "nobody"}, ExemptReason: "wrong amounts"}).ThenRefused(fault.NotFound, "no ended run nobody")
}

// Rule 2: active follows each save, and goes back to the last confirmed version when
// unconfirmed fixes are withdrawn.
func TestRule02ActiveIsAPointer(t *testing.T) {
	t.Parallel()
	require.Equal(t, v11, fold(applied...).Active)
	require.Equal(t, v10, fold(applied...).LastConfirmed)
	require.Equal(t, []Version{v11}, fold(applied...).Unconfirmed())
	require.Equal(t, v11, fold(confirmed...).LastConfirmed)
	require.Empty(t, fold(confirmed...).Unconfirmed())

	back := given(t, applied...).When(WithdrawFixes{Reason: "it reports half"}).ThenTypes(TypeEscalated)
	require.Equal(t, v10, back.State().Active)
	require.Len(t, back.State().Versions, 2, "the withdrawn version stays in the history")
	require.Equal(t, StatusEscalated, back.State().Status)
	back.When(WithdrawFixes{}).ThenRefused(fault.Conflict, "no unconfirmed fix")
	given(t, confirmed...).When(WithdrawFixes{}).ThenRefused(fault.Conflict, "no unconfirmed fix")
}

func TestSavesAreChecked(t *testing.T) {
	t.Parallel()
	g := given(t, active...)
	g.When(SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginMaintainer}).ThenRefused(fault.Invalid, "fixes are proposed")
	g.When(SaveScript{ScriptID: "s", Code: codeV1, Origin: OriginRollback}).ThenRefused(fault.Invalid, "a save comes from the planner, a person, an agent or a program")
	g.When(SaveScript{Code: codeV1, Origin: OriginPerson}).ThenRefused(fault.Invalid, "needs an id")
	g.When(SaveScript{ScriptID: "s", Code: " \n", Origin: OriginPerson}).ThenRefused(fault.Invalid, "empty")
	g.When(SaveScript{ScriptID: "s", Code: "a\xff", Origin: OriginPerson}).ThenRefused(fault.Invalid, "not UTF-8")
	g.When(SaveScript{ScriptID: "s", Code: string(make([]byte, 300<<10)), Origin: OriginPerson}).ThenRefused(fault.Invalid, "262144 are allowed")
}

// Rule 11: the maintainer can change code only.
func TestRule11AFixCarriesEverythingElseOver(t *testing.T) {
	t.Parallel()
	before := given(t, judging...)
	after := before.When(JudgeFix{Proposal: "p1", ScriptID: "s2", Verification: identical})
	saved := scenario.The[ScriptSaved](t, after.Events())
	require.Equal(t, ScriptSaved{
		ScriptID: "s2", Version: v11, Code: codeV11, SHA256: shaV11, Comment: "reads latest_charge",
		Summary: "lists refunds", Diagram: "graph LR", Origin: OriginMaintainer, Task: "t1", Proposal: "p1",
	}, saved)
	// From the version it is based on, not from an earlier one.
	replanned := given(t, active...).When(SaveScript{ScriptID: "s2", Code: codeV1, Summary: "now by account", Diagram: "graph TD", Origin: OriginPlanner}).
		ThenTypes(TypeScriptSaved).And(admitted("r1", v20))
	second := scenario.The[ScriptSaved](t, replanned.When(settleFailed("r1", typeError)).Given(TypeMaintenanceEntered).
		When(ProposeFix{Proposal: "p", Task: "t-r1", Code: codeV11}).Given(TypeFixProposed).
		When(JudgeFix{Proposal: "p", ScriptID: "s3", Verification: identical}).Events())
	require.Equal(t, []string{"now by account", "graph TD", "2.1"}, []string{second.Summary, second.Diagram, second.Version.String()})
	is, was := after.ThenTypes(TypeFixVerified, TypeFixApplied, TypeScriptSaved, TypeMaintenanceExited).State(), before.State()
	require.Equal(t, []any{was.Title, was.Intent, was.Zone, was.Owner, was.Schedule, was.Settings}, []any{is.Title, is.Intent, is.Zone, is.Owner, is.Schedule, is.Settings})
}

// A save of an agent says so, and is refused where a fix would wait for a person. Decisions of a person are refused to agents everywhere.
func TestCommandsThatAnAgentMayGive(t *testing.T) {
	t.Parallel()
	of := func(status Status, mode Mode) State {
		return State{ID: "w", Status: status, Settings: Settings{AutoFix: mode, AllowedHosts: []string{"a.example"}}}
	}
	for _, one := range []struct {
		status Status
		mode   Mode
		saves  bool
	}{
		{StatusActive, "", true},
		{StatusActive, ModeAuto, true},
		{StatusActive, ModeProven, true}, // if it repeats the recorded runs, which is looked at before
		{StatusActive, ModePropose, false},
		{StatusActive, ModeOff, false},
		{StatusHeld, ModeAuto, false},
		{StatusEscalated, ModeAuto, true},
		{StatusEscalated, ModePropose, false},
		{StatusDraft, ModePropose, true},
	} {
		command, err := of(one.status, one.mode).ByAgent(SaveScript{Origin: OriginPerson, Code: "1"})
		if !one.saves {
			require.Equal(t, fault.Forbidden, fault.KindOf(err), "%+v", one)
			continue
		}
		require.NoError(t, err, "%+v", one)
		require.Equal(t, SaveScript{Origin: OriginAgent, Code: "1"}, command)
	}
	here := of(StatusActive, ModeAuto)
	settings := here.Settings
	settings.Input = []byte(`{"day":1}`)
	for _, allowed := range []Command{Pause{}, SuggestFix{}, AdmitRun{}, ChangeSettings{Settings: settings}} {
		command, err := here.ByAgent(allowed)
		require.NoError(t, err, "%T", allowed)
		require.Equal(t, allowed, command)
	}
	settings.AllowedHosts = []string{"a.example", "evil.example"}
	for _, refused := range []Command{
		ChangeSettings{Settings: settings}, Activate{}, Rollback{}, AcceptFix{}, OpenPlannerTask{}, TellPlanner{}, AnswerQuestion{},
	} {
		_, err := here.ByAgent(refused)
		require.Equal(t, fault.Forbidden, fault.KindOf(err), "%T", refused)
	}
	command, err := here.ByAgent(ChangeIntent{Intent: "read https://evil.example"})
	require.NoError(t, err)
	require.True(t, Evolve(here, decideOne(t, here, command)).IntentImported, "it is no person's word")
}

func decideOne(t *testing.T, s State, c Command) event.Event {
	t.Helper()
	events, err := Decide(s, c, scenario.Start)
	require.NoError(t, err)
	require.Len(t, events, 1)
	return events[0]
}

// Rule: a version names only packages that its workflow keeps, which are kept once, and a fix changes none.
func TestPackagesOfVersions(t *testing.T) {
	t.Parallel()
	const lock = "//# packages sha256 0f\n//# dayjs 1.11.13: default\n"
	save := SaveScript{ScriptID: "s", Code: codeV1 + "\n" + lock, Origin: OriginPerson}
	g := given(t, created)
	g.When(save).ThenRefused(fault.Invalid, "are not kept with this workflow")
	save.Packages = &PackagesKept{SHA256: "00", Packed: "p"}
	g.When(save).ThenRefused(fault.Invalid, "are not kept with this workflow")
	save.Packages = &PackagesKept{SHA256: "0f", Packed: strings.Repeat("p", 700<<10+1)}
	g.When(save).ThenRefused(fault.Invalid, "716800 are allowed")
	save.Packages = &PackagesKept{SHA256: "0f", Names: []string{"dayjs 1.11.13"}, Packed: "p"}
	saved := g.When(save)
	require.Equal(t, *save.Packages, saved.Events()[0])

	active := given(t, append(history{created}, saved.Events()...)...)
	again := active.When(SaveScript{ScriptID: "s2", Code: codeV11 + "\n" + lock, Origin: OriginPlanner, Packages: save.Packages})
	require.Equal(t, TypeScriptSaved, again.Events()[0].EventType(), "they are kept already")

	state := active.State()
	state.Maintenance = &Maintenance{Task: "t", Run: "r1", Base: v10}
	propose := ProposeFix{Proposal: "p", Task: "t", Code: codeV11 + "\n" + lock, Comment: "c"}
	_, err := Decide(state, propose, scenario.Start)
	require.NoError(t, err)
	for _, code := range []string{codeV11, codeV11 + "\n" + lock + "//# with ms 2.0.0\n"} {
		propose.Code = code
		_, err = Decide(state, propose, scenario.Start)
		require.ErrorContains(t, err, "a fix changes no package")
	}
}
