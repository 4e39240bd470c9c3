package healer_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// course is what is tried for triggers, with the end that each comes to.
type course struct {
	only   []session.Trigger // none named: all
	policy func(*session.Policy)
	says   string // by the check, when it fails: it makes the kind of the failure
	does   string // the agent
	green  bool   // the head's parent was seen to pass
	want   session.Outcome
	but    map[session.Trigger]session.Outcome
}

var courses = map[string]course{
	"nothing mends it": {
		nil, func(p *session.Policy) {
			p.Mode, p.HardReset, p.Agent.Resume = session.Aggressive, true, append(p.Agent.Command, session.SessionMark)
		}, "price.txt: permission denied", "echo 7 > price.txt", true, session.Contained,
		// The commit before the work is the person's, so it counts as the last green one.
		map[session.Trigger]session.Outcome{session.InitFailed: session.Resolved},
	},
	"nothing was green": {
		[]session.Trigger{session.InitFailed}, func(p *session.Policy) { p.Mode, p.HardReset = session.Aggressive, true },
		"price.txt: permission denied", "echo 8 > price.txt", false, session.Contained, nil,
	},
	"an agent mends it": {
		nil, func(*session.Policy) {}, "price.txt(1,1): error TS2322: no", "echo 4 > price.txt", false, session.Resolved,
		// No agent is launched before new work begins.
		map[session.Trigger]session.Outcome{session.LeftDirty: session.Contained},
	},
	"what is left is put away": { // of price.txt, which is well at the head
		[]session.Trigger{session.LeftDirty}, func(*session.Policy) {}, "", "true", false, session.Resolved, nil,
	},
	"nothing is allowed": {
		nil, func(p *session.Policy) { p.Allowed = []session.Spell{session.UpdateProgress} }, "no", "true", false, session.Unresolved, nil,
	},
}

// never says of every trigger why the rules do not come to a spell for it: for these four they come to all.
var never = map[session.Trigger]map[session.Spell]string{
	session.VerificationFailed: {}, session.SubtaskFailed: {}, session.JobFailed: {}, session.RuntimeError: {},
	session.InitFailed: {session.RetryResume: "no agent has begun that could go on"},
	session.Stuck: {
		session.RunDoctor:     "the same failure again and again is not about the surroundings, which were well before",
		session.RetryResume:   "the agent's own session is what is stuck",
		session.FixTypecheck:  "what was asked for again and again is asked for anew, by another agent",
		session.RewindToGreen: "the work is committed, and another agent goes on with it",
	},
	session.LeftDirty: {
		session.RetryMinimal:  "no work has begun that could be tried again",
		session.RetryResume:   "the agent that left it is of another session",
		session.FixTypecheck:  "no work has begun whose types could be wrong",
		session.RewindToGreen: "what is committed is not left",
	},
}

// Rule: every spell is applied by the rules for every trigger, or it is said why it never is, and every trigger comes
// to every end. A new trigger, spell or outcome needs its entries here.
func TestEveryTriggerSpellAndOutcome(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	applied, reached := map[session.Trigger]map[session.Spell]bool{}, map[session.Trigger]map[session.Outcome]bool{}
	for _, trigger := range session.Triggers {
		applied[trigger], reached[trigger] = map[session.Spell]bool{}, map[session.Outcome]bool{}
	}
	t.Run("courses", func(t *testing.T) {
		for name, c := range courses {
			triggers := c.only
			if triggers == nil {
				triggers = session.Triggers
			}
			for _, trigger := range triggers {
				t.Run(name+"/"+string(trigger), func(t *testing.T) {
					t.Parallel()
					want, is := c.but[trigger]
					if !is {
						want = c.want
					}
					w := setup(t, c.policy)
					w.doing("cat > /dev/null; " + c.does)
					check := session.Check{Name: "tests", Command: "grep -qx 4 price.txt || { echo '" + c.says + "'; exit 1; }"}
					w.write("price.txt", "4\n")
					if c.green || c.says == "" {
						w.git("commit", "-qam", "green")
					}
					if c.green {
						require.False(t, w.invoke(healer.Call{Trigger: trigger, Subtask: "prices", Check: check}))
					}
					w.write("price.txt", "5\n")
					if c.says != "" {
						w.git("commit", "-qam", "red")
					}
					w.write("other.txt", "half\n")
					head := w.git("rev-parse", "HEAD")

					call := healer.Call{Trigger: trigger, Subtask: "prices", Check: check, AgentSession: map[bool]string{true: "a7"}[c.green]}
					healing := w.heal(call)
					require.Equal(t, want, healing.Ended.Outcome, "%s: %v", healing.Ended.Reason, healing.Casts)
					require.Equal(t, want == session.Resolved, healing.Ended.Continue)
					require.Equal(t, want == session.Contained, w.state().Blocked["prices"] != "", "what is contained is blocked")
					w.report(healing.Healing)
					w.events() // the history can have happened
					if want == session.Contained {
						require.Empty(t, w.git("status", "--porcelain", "--", ":!progress.md"))
					}
					mu.Lock()
					defer mu.Unlock()
					reached[trigger][want] = true
					moved := false
					for _, one := range healing.Casts {
						if one.Ended.Applied {
							applied[trigger][one.Spell] = true
							moved = moved || one.Spell == session.RewindToGreen
						}
						for _, kept := range one.Ended.Kept {
							require.Equal(t, kept.Commit, w.git("rev-parse", kept.Ref))
						}
					}
					require.Equal(t, moved, head != w.git("rev-parse", "main"), "only one spell moves a branch")
					if want == session.Unresolved {
						again := w.heal(call)
						require.Equal(t, session.Skipped, again.Ended.Outcome, again.Ended.Reason)
						require.Empty(t, again.Casts)
						reached[trigger][session.Skipped] = true
					}
				})
			}
		}
	})
	for _, trigger := range session.Triggers {
		require.Contains(t, never, trigger, "a new trigger: say which spells it never comes to")
		for _, spell := range session.Spells {
			why := never[trigger][spell]
			require.Equal(t, why == "", applied[trigger][spell], "%s, %s: %q", trigger, spell, why)
		}
		for _, outcome := range session.Outcomes {
			require.True(t, reached[trigger][outcome], "%s never ends %s", trigger, outcome)
		}
	}
}
