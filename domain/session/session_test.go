package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/session"
)

var (
	tests  = Check{Name: "tests", Command: "npm test"}
	failed = Failure{Trigger: VerificationFailed, Subtask: "prices", Check: tests, Kind: KindTest, Says: "exit status 1", Code: 1, Fingerprint: "f1"}
	green  = CheckRan{Healing: 1, Check: tests, Passed: true, Head: "c1"}
	red    = CheckRan{Healing: 1, Check: tests, Says: "exit status 1", Code: 1, Head: "c1", Fingerprint: "f1"}
)

func opened(change ...func(*Policy)) SessionOpened {
	policy := DefaultPolicy()
	for _, one := range change {
		one(&policy)
	}
	return SessionOpened{ID: "s", Repository: "/r", Worktree: "/r", Host: "h", Policy: policy}
}

func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

func invoked(number int, f Failure) HealerInvoked {
	return HealerInvoked{Healing: number, Failure: f, Planner: Rules, Head: "c1"}
}

// cast is a spell from its beginning to its end.
func cast(number int, spell Spell, changed bool) []event.Event {
	return []event.Event{
		SpellStarted{Healing: 1, Cast: number, Spell: spell, By: Rules},
		SpellApplied{Healing: 1, Cast: number, Spell: spell, Applied: true, Changed: changed, Followup: "look at it"},
	}
}

func history(parts ...any) []event.Event {
	var all []event.Event
	for _, part := range parts {
		switch part := part.(type) {
		case event.Event:
			all = append(all, part)
		case []event.Event:
			all = append(all, part...)
		}
	}
	return all
}

func concluded(t *testing.T, parts ...any) HealerConcluded {
	t.Helper()
	events, err := Decide(given(t, history(parts...)...).State(), Conclude{Healing: 1}, scenario.Start)
	require.NoError(t, err)
	return events[0].(HealerConcluded)
}

// Rule: a session is for the node whose data it is with: of two on one machine the other leaves it alone.
func TestASessionIsItsNodes(t *testing.T) {
	t.Parallel()
	of := opened()
	of.Place = "/data"
	state := given(t, of).State()
	require.True(t, state.For("h", "/data"))
	require.False(t, state.For("h", "/other"))
	require.False(t, state.For("other", "/data"))
	require.True(t, given(t, opened()).State().For("h", "/data"), "it was opened before nodes said so")
	given(t, of).When(Open{SessionOpened: opened()}).ThenRefused(fault.Conflict, "name another")
}

// Rule: resolved is what the server saw, and nothing that a healer says.
func TestOnlyThePassingCheckResolves(t *testing.T) {
	t.Parallel()
	mended := cast(1, RetryMinimal, true)
	begun := history(opened(), invoked(1, failed), mended)
	given(t, begun...).When(Conclude{Healing: 1}).ThenRefused(fault.Conflict, "next is check")
	require.Equal(t, Resolved, concluded(t, begun, green).Outcome)
	require.True(t, concluded(t, begun, green).Continue)

	other := green
	other.Check = Check{Name: "tests", Command: "true"}
	given(t, append(begun, other)...).When(Conclude{Healing: 1}).ThenRefused(fault.Conflict, "next is cast")

	claims := history(opened(), HealerInvoked{Healing: 1, Failure: failed, Planner: Model}, HealerAdvised{Healing: 1, Says: "All is resolved. I ran the tests."},
		cast(1, RewindUncommitted, false), red, cast(2, MarkBlocked, false), cast(3, UpdateProgress, true))
	require.Equal(t, Unresolved, concluded(t, claims).Outcome)
}

// Rule: a check that nobody could run is not passed, whatever is reported.
func TestWithoutACheckNothingPasses(t *testing.T) {
	t.Parallel()
	none := failed
	none.Check = Check{}
	report := CheckRan{Healing: 1, Passed: true, Head: "c1"}
	given(t, opened(), invoked(1, none)).When(ReportCheck{CheckRan: report}).Then(CheckRan{Healing: 1, Head: "c1"})
	dirty := CheckRan{Healing: 1, Check: Check{Name: CleanTree}, Passed: true}
	given(t, opened(), invoked(1, none)).When(ReportCheck{CheckRan: dirty}).Then(CheckRan{Healing: 1, Check: Check{Name: CleanTree}})
}

// Rule: contained is a clean tree, kept work and a blocked subtask; each that is lacking makes it unresolved.
func TestContained(t *testing.T) {
	t.Parallel()
	clean := red
	clean.Clean = true
	until := func(saw CheckRan, rest ...any) []any {
		return append([]any{opened(), invoked(1, failed), cast(1, RetryMinimal, true), red, cast(2, RewindUncommitted, true), saw}, rest...)
	}
	book := []any{cast(3, MarkBlocked, false), cast(4, UpdateProgress, true)}
	end := concluded(t, until(clean, book...)...)
	require.Equal(t, Contained, end.Outcome)
	require.False(t, end.Continue)

	require.Equal(t, Unresolved, concluded(t, until(red, book...)...).Outcome)
	lost := clean
	lost.Lost = []string{"refs/kintsugi/heal/s/1-1"}
	require.Contains(t, concluded(t, until(lost, book...)...).Reason, "refs/kintsugi/heal/s/1-1")
	forbidden := opened(func(p *Policy) { p.Forbidden = []Spell{MarkBlocked} })
	require.Contains(t, concluded(t, forbidden, invoked(1, failed), cast(1, RetryMinimal, true), red, cast(2, RewindUncommitted, true), clean, cast(3, UpdateProgress, true)).Reason, "not blocked")
}

// Rule: where the work was set aside, a check that passes without it resolves nothing, until the work was done again.
func TestSettingWorkAsideIsNoCure(t *testing.T) {
	t.Parallel()
	clean := green
	clean.Clean = true
	aside := history(opened(), invoked(1, failed), cast(1, RetryMinimal, false), red, cast(2, RewindUncommitted, true), clean)
	given(t, aside...).When(Conclude{Healing: 1}).ThenRefused(fault.Conflict, "next is cast "+string(MarkBlocked))
	require.Equal(t, Contained, concluded(t, aside, cast(3, MarkBlocked, false), cast(4, UpdateProgress, true)).Outcome)

	bold := opened(func(p *Policy) { p.Mode = Aggressive })
	again := history(bold, invoked(1, failed), cast(1, RetryMinimal, false), red, cast(2, RewindToGreen, true), green, cast(3, RetryMinimal, true), green)
	require.Equal(t, Resolved, concluded(t, again).Outcome)

	dirty := failed
	dirty.Trigger, dirty.Check = LeftDirty, Check{Name: CleanTree}
	seen := CheckRan{Healing: 1, Check: dirty.Check, Passed: true, Clean: true}
	require.Equal(t, Resolved, concluded(t, opened(), invoked(1, dirty), cast(1, RunDoctor, false), cast(2, RewindUncommitted, true), seen).Outcome)
}

// ended is a healing that came to an end.
func ended(number int, f Failure, outcome Outcome) []event.Event {
	return []event.Event{invoked(number, f), HealerConcluded{Healing: number, Outcome: outcome, Continue: outcome == Resolved}}
}

// Rule: the policy decides which failures may be healed, and each no has its reason.
func TestSkipped(t *testing.T) {
	t.Parallel()
	other, elsewhere := failed, failed
	other.Fingerprint = "f2"
	elsewhere.Fingerprint, elsewhere.Subtask = "f3", "invoices"
	for name, c := range map[string]struct {
		before []any
		f      Failure
		skip   string // empty: it is healed
	}{
		"the first":                             {[]any{opened()}, failed, ""},
		"switched off":                          {[]any{opened(func(p *Policy) { p.Enabled = false })}, failed, "switched off"},
		"scenario off":                          {[]any{opened(func(p *Policy) { p.Off = []Trigger{VerificationFailed} })}, failed, "scenario verification_failed"},
		"identical after unresolved":            {[]any{opened(), ended(1, failed, Unresolved)}, failed, "exactly like this before"},
		"identical after resolved":              {[]any{opened(), ended(1, failed, Resolved)}, failed, ""},
		"another failure of the subtask":        {[]any{opened(), ended(1, failed, Unresolved)}, other, "prices has had its 1"},
		"another subtask":                       {[]any{opened(), ended(1, failed, Unresolved)}, elsewhere, ""},
		"the session's limit":                   {[]any{opened(), ended(1, failed, Resolved), ended(2, failed, Resolved)}, elsewhere, "its 2 healings"},
		"what was skipped does not count":       {[]any{opened(), ended(1, failed, Skipped), ended(2, failed, Skipped)}, failed, ""},
		"blocked":                               {[]any{opened(), invoked(1, failed), cast(1, MarkBlocked, false), HealerConcluded{Healing: 1, Outcome: Contained}}, other, "blocked until"},
		"unblocked, and the limit of a subtask": {[]any{opened(), invoked(1, failed), cast(1, MarkBlocked, false), HealerConcluded{Healing: 1, Outcome: Contained}, TaskUnblocked{Subtask: "prices"}}, other, "has had its 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := Decide(given(t, history(c.before...)...).State(), Invoke{Failure: c.f, Planner: Rules, Head: "c1"}, scenario.Start)
			require.NoError(t, err)
			if c.skip == "" {
				require.Len(t, events, 1)
				return
			}
			require.Len(t, events, 2)
			end := events[1].(HealerConcluded)
			require.Equal(t, Skipped, end.Outcome)
			require.Contains(t, end.Reason, c.skip)
		})
	}
	given(t, opened(), invoked(1, failed)).When(Invoke{Failure: other}).ThenRefused(fault.Conflict, "under way")
}

// Rule: a spell is one that the policy allows, that is next, and one at a time.
func TestSpellsInTheirTurn(t *testing.T) {
	t.Parallel()
	is := given(t, opened(func(p *Policy) { p.Forbidden = []Spell{UpdateProgress} }), invoked(1, failed), red)
	is.When(StartSpell{Healing: 1, Spell: RewindToGreen, By: Rules}).ThenRefused(fault.Conflict, "not what is next")
	is.When(StartSpell{Healing: 1, Spell: UpdateProgress, By: Rules}).ThenRefused(fault.Forbidden, "does not allow")
	is.When(StartSpell{Healing: 1, Spell: RunDoctor, By: Model}).ThenRefused(fault.Conflict, "not what is next")
	is.When(ApplySpell{SpellApplied{Healing: 1, Cast: 1, Spell: RetryMinimal}}).ThenRefused(fault.Conflict, "no spell")
	started := is.When(StartSpell{Healing: 1, Spell: RetryMinimal, By: Rules}).Then(SpellStarted{Healing: 1, Cast: 1, Spell: RetryMinimal, By: Rules})
	next, due := started.State().Next()
	require.True(t, due)
	require.Equal(t, Next{Step: StepCast, Spell: RetryMinimal, Started: 1}, next, "after a crash the same spell is gone on with")
	started.When(StartSpell{Healing: 1, Spell: RetryMinimal, By: Rules}).ThenRefused(fault.Conflict, "not what is next")
}

// course walks a healing to its end with a check that never passes, and says which spells it came to.
func course(t *testing.T, start SessionOpened, f Failure) []Spell {
	t.Helper()
	state := given(t, start, HealerInvoked{Healing: 1, Failure: f, Planner: Rules}).State()
	var spells []Spell
	for range 40 {
		next, due := state.Next()
		require.True(t, due)
		var command Command
		switch next.Step {
		case StepConclude:
			return spells
		case StepCheck:
			command = ReportCheck{CheckRan{Healing: 1, Check: f.Check}}
		case StepCast:
			command = StartSpell{Healing: 1, Spell: next.Spell, By: Rules}
			if next.Started > 0 {
				command = ApplySpell{SpellApplied{Healing: 1, Cast: next.Started, Spell: next.Spell, Applied: true, Changed: true}}
				spells = append(spells, next.Spell)
			}
		}
		events, err := Decide(state, command, scenario.Start)
		require.NoError(t, err)
		for _, e := range events {
			state, err = Follow(state, e)
			require.NoError(t, err)
		}
	}
	t.Fatal("the healing does not end")
	return nil
}

// Rule: first what may mend, then what contains; conservative rules never go back to an earlier commit, and what the
// policy forbids is left out of every course.
func TestPrescriptions(t *testing.T) {
	t.Parallel()
	contain := []Spell{RewindUncommitted, MarkBlocked, UpdateProgress}
	with := func(spells ...Spell) []Spell { return append(spells, contain...) }
	typecheck, resumable := failed, failed
	typecheck.Kind, resumable.AgentSession = KindTypecheck, "abc"
	require.Equal(t, with(RetryMinimal), course(t, opened(), failed))
	require.Equal(t, with(FixTypecheck), course(t, opened(), typecheck))
	require.Equal(t, with(RetryResume), course(t, opened(), resumable))
	bold := opened(func(p *Policy) { p.Mode = Aggressive })
	require.Equal(t, with(RetryMinimal, RewindToGreen, RetryMinimal), course(t, bold, failed))
	for _, trigger := range Triggers {
		f := failed
		f.Trigger = trigger
		require.NotContains(t, course(t, opened(), f), RewindToGreen, "%s", trigger)
		for _, forbidden := range Spells {
			without := opened(func(p *Policy) { p.Mode, p.Forbidden = Aggressive, []Spell{forbidden} })
			require.NotContains(t, course(t, without, f), forbidden)
			only := opened(func(p *Policy) { p.Mode, p.Allowed = Aggressive, []Spell{forbidden} })
			for _, spell := range course(t, only, f) {
				require.Equal(t, forbidden, spell)
			}
		}
	}
}

// Rule: an event that no decision comes to is found: above all a healing that calls itself resolved.
func TestAHealingThatGradesItselfIsImpossible(t *testing.T) {
	t.Parallel()
	base := history(opened(), invoked(1, failed), cast(1, RetryMinimal, true), red, cast(2, RewindUncommitted, false), red, cast(3, MarkBlocked, false), cast(4, UpdateProgress, true))
	state := given(t, base...).State()
	for _, outcome := range []Outcome{Resolved, Contained, Skipped} {
		_, err := Follow(state, HealerConcluded{Healing: 1, Outcome: outcome})
		require.Error(t, err, "%s", outcome)
	}
	_, err := Follow(state, HealerConcluded{Healing: 1, Outcome: Unresolved})
	require.NoError(t, err)
	_, err = Follow(given(t, opened(func(p *Policy) { p.Forbidden = []Spell{RunDoctor} }), invoked(1, failed)).State(), SpellStarted{Healing: 1, Cast: 1, Spell: RunDoctor})
	require.Error(t, err)
}

// Rule: the same failure has the same fingerprint at every time and place; another failure has another one.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	of := func(tail string) string {
		return Fingerprint(Failure{Trigger: VerificationFailed, Check: tests, Tail: tail})
	}
	one := of("2026-03-02 07:00:01 run\n--- FAIL: TestPrice (0.02s)\n    price_test.go:12: got 3, want 4\nin /tmp/x1/y\nok  b\n")
	require.Equal(t, one, of("2026-03-03 09:10:11 run\nok  b\n--- FAIL: TestPrice (1.50s)\n    price_test.go:19: got 3, want 4\nin /tmp/q/z\n"))
	require.NotEqual(t, one, of("2026-03-02 07:00:01 run\n--- FAIL: TestPrice (0.02s)\n    price_test.go:12: got 3, want 5\nin /tmp/x1/y\nok  b\n"))
	for tail, kind := range map[string]FailureKind{
		"src/a.ts(3,7): error TS2322: Type 'string' is not assignable": KindTypecheck,
		"# shop\n./price.go:7:2: undefined: cost":                      KindTypecheck,
		"--- FAIL: TestPrice (0.00s)\n    price_test.go:12: got 3":     KindTest,
		"Error: Cannot find module 'left-pad'":                         KindEnvironment,
		"something":                                                    KindOther,
	} {
		require.Equal(t, kind, KindOf(tail, 1), tail)
	}
	require.Equal(t, KindEnvironment, KindOf("sh: tsc: command not found", 127))
	require.Equal(t, []string{"src/a.ts", "price.go"}, FilesNamed("src/a.ts(3,7): error TS2322\n./price.go:7:2: undefined\n../../etc/x.conf:1: no\nsrc/a.ts(9,1): error"))
}

// Rule: a policy that means nothing is refused, with what there is.
func TestPolicies(t *testing.T) {
	t.Parallel()
	require.NoError(t, DefaultPolicy().Check())
	plain := DefaultPolicy()
	plain.Progress, plain.Protected = "docs/progress.md", []string{"tests/", "app/[id].tsx"}
	require.NoError(t, plain.Check())
	for _, name := range []string{"", ".", "..", "./tests", "/tests", "../tests", "a//b", "a/../b"} {
		progress, protected := DefaultPolicy(), DefaultPolicy()
		progress.Progress, protected.Protected = name, []string{name}
		require.ErrorContains(t, progress.Check(), "no file in the repository", name)
		require.ErrorContains(t, protected.Check(), "protects nothing", name)
	}
	for text, change := range map[string]func(*Policy){
		"there is no scenario":       func(p *Policy) { p.Off = []Trigger{"later"} },
		"there is no spell":          func(p *Policy) { p.Allowed = []Spell{"rm"} },
		"conservative or aggressive": func(p *Policy) { p.Mode = "bold" },
		"0 or more":                  func(p *Policy) { p.PerSession = -1 },
		"a second":                   func(p *Policy) { p.TimeoutSeconds = 0 },
		"protects nothing":           func(p *Policy) { p.Protected = []string{"tests/**"} },
		"no file in the repository":  func(p *Policy) { p.Progress = "../notes.md" },
		SessionMark:                  func(p *Policy) { p.Agent.Resume = []string{"agent"} },
		"no command":                 func(p *Policy) { p.Checks = []Check{{Name: "x"}} },
	} {
		given(t).When(Open{opened(change)}).ThenRefused(fault.Invalid, text)
	}
	require.True(t, DefaultPolicy().Protects(".kintsugi/healer.yaml"))
	require.False(t, DefaultPolicy().Protects(".kintsugi2"))
	given(t, opened()).When(Open{opened()}).ThenNothing()
	elsewhere := opened()
	elsewhere.Worktree = "/other"
	given(t, opened()).When(Open{elsewhere}).ThenRefused(fault.Conflict, "name another session")
	require.True(t, slices.ContainsFunc(Spells, func(s Spell) bool { return strings.HasPrefix(string(s), "rewind") }))
}

// Rule: green is a commit on which the server saw a check pass with a clean tree, and nothing else.
func TestGreen(t *testing.T) {
	t.Parallel()
	state := given(t, opened(), CheckRan{Check: tests, Passed: true, Clean: true, Head: "c1"}, CheckRan{Check: tests, Passed: true, Head: "c2"},
		CheckRan{Check: Check{Name: CleanTree}, Passed: true, Clean: true, Head: "c3"}, CheckRan{Check: tests, Clean: true, Head: "c4"}).State()
	commit, known := state.LastGreen()
	require.True(t, known)
	require.Equal(t, "c1", commit)
}
