package coding_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Rule: what the vendors' programs wrote, started here without a key and at a service that answers with its documented errors, is known for
// what it is. The name of each file is the agent's and what its end means.
func TestEndingsOfRealAgents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/endings/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 19)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		for _, agent := range []plan.Program{{"/opt/bin/" + parts[0], "run"}, plan.Shell("A=1 exec " + parts[0] + " -p x")} {
			found := coding.EndingOf(agent, string(text), time.Now())
			require.NotNil(t, found, file)
			require.Equal(t, plan.EndingKind(parts[1]), found.Kind, "%s: %s", file, found.Says)
			require.Equal(t, parts[0], found.Agent)
		}
		require.Nil(t, coding.EndingOf(plan.Shell("my-agent"), string(text), time.Now()), "nobody knows the words of this one")
	}
}

// Rule: an agent that only quotes the words of an end, or wrote them long before its own, has not ended so.
func TestWordsThatAreNoEnding(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I added the message \"Credit balance is too low\" to billing.ts.",
		"The API now answers 429 when the rate limit is reached.",
		"Credit balance is too low" + strings.Repeat("\nand so on", 20),
		"", "All done.",
	} {
		require.Nil(t, coding.EndingOf(plan.Program{"claude", "-p"}, text, time.Now()), text)
	}
}

// Rule: the time at which an agent says that it can go on is understood in all forms in which the vendors' programs say it.
func TestWhenAnAgentCanGoOn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC)
	for says, want := range map[string]time.Time{
		"You've hit your session limit · resets 12:50am (America/Los_Angeles)":                                            time.Date(2026, 11, 29, 8, 50, 0, 0, time.UTC),
		"You've hit your session limit · resets 8:30am (Asia/Tokyo)":                                                      time.Date(2026, 11, 28, 23, 30, 0, 0, time.UTC),
		"You've hit your weekly limit · resets Dec 3, 5pm (UTC)":                                                          time.Date(2026, 12, 3, 17, 0, 0, 0, time.UTC),
		"You've hit your limit · resets Jan 2 at 5pm (UTC)":                                                               time.Date(2026, 1, 2, 17, 0, 0, 0, time.UTC).AddDate(1, 0, 0),
		"You've reached your limit · resets 7:45pm (UTC)":                                                                 time.Date(2026, 11, 28, 19, 45, 0, 0, time.UTC),
		"Claude AI usage limit reached|1795900000":                                                                        time.Unix(1795900000, 0),
		"ERROR: You’ve hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.":                  now.Add((5*24+22)*time.Hour + 11*time.Minute),
		"ERROR: You’ve hit your usage limit. Upgrade to Pro or try again at Nov 30th, 2026 12:53 AM.":                     time.Date(2026, 11, 30, 0, 53, 0, 0, time.Local),
		"Error: Rate limit reached for gpt-5 on tokens per min: Limit 30000, Used 29000. Please try again in 1m12.5s.":    now.Add(72500 * time.Millisecond),
		"API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later": {},
		"You've hit your limit · resets 5pm (Middle/Earth)":                                                               {},
	} {
		agent := "claude"
		if strings.HasPrefix(says, "E") {
			agent = "codex"
		}
		found := coding.EndingOf(plan.Program{agent}, says, now)
		require.NotNil(t, found, says)
		require.Equal(t, plan.EndingLimited, found.Kind, says)
		require.True(t, want.Equal(found.Until), "%s: %s", says, found.Until)
	}
}

// Rule: a job whose agent has reached a limit waits until the time that it said, uses up no attempt, and goes on in its worktree; so does one
// that ends well and changed nothing. One that is not signed in is held at once, whatever attempts are left, and its person told what to do.
func TestAnAgentThatCannotGoOn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	agent := func(name, script string) func(*plan.Job) {
		path := filepath.Join(w.scripts, "of-"+name, "claude")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\ncat >>"+w.scripts+"/of-"+name+"/told\n"+script), 0o700))
		return func(j *plan.Job) { j.Agent, j.Attempts = plan.Program{path}, 2 }
	}
	second := func(name string) string {
		return "[ $(grep -c 'Change only' " + w.scripts + "/of-" + name + "/told) = 2 ]"
	}
	w.start(plan.Definition{Wall: plan.Wall{Write: []string{w.scripts}}, Jobs: []plan.Job{
		w.job("limited", "", agent("limited", second("limited")+` && { cat limited/half >limited/whole; exit; }; mkdir limited; echo x >limited/half; echo "You've hit your limit · resets in 5h"; exit 1`)),
		w.job("quiet", "", agent("quiet", second("quiet")+` && { mkdir quiet; echo x >quiet/x; exit; }; echo "You've hit your limit"`)),
		w.job("unsigned", "", agent("unsigned", `echo "Not logged in · Please run /login"; exit 1`)),
	}})
	works := func(after time.Duration) { // until all that is due waits for a time
		now := func() time.Time { return time.Now().Add(after) }
		worker, err := workerAt(w.data, w.Commands, now)
		require.NoError(t, err)
		loop := loop.New(loop.Config{Log: w.log, Kinds: []loop.Kind{coding.Plans(w.Commands, worker)}})
		for slices.ContainsFunc(w.state().Due(), func(due plan.Due) bool { return !due.Job.Until.After(now()) }) {
			require.NoError(t, loop.Settle(t.Context()))
		}
	}
	began := time.Now()
	works(0)
	state := w.state()
	limited, quiet := state.Jobs["limited"], state.Jobs["quiet"]
	require.WithinRange(t, limited.Until, began.Add(5*time.Hour), time.Now().Add(5*time.Hour))
	require.WithinRange(t, quiet.Until, began.Add(time.Minute), time.Now().Add(time.Minute))
	held := state.Jobs["unsigned"].Held
	require.Equal(t, plan.KindJobFailed, held.Kind)
	require.Equal(t, 1, held.Attempt)
	require.Contains(t, held.Reason, "claude is not signed in (it said: Not logged in · Please run /login); give the job a valid key")
	works(time.Hour)
	require.Equal(t, plan.JobMergedIn, w.state().Jobs["quiet"].Status)
	require.Equal(t, limited, w.state().Jobs["limited"], "it waits on")
	works(6 * time.Hour)
	state = w.state()
	require.Equal(t, plan.JobMergedIn, state.Jobs["limited"].Status, "%+v", state.Jobs["limited"].Held)
	require.Equal(t, 1, state.Jobs["limited"].Attempt)
	require.Equal(t, "x", w.git("show", "agents:limited/whole"))
	told, err := os.ReadFile(filepath.Join(w.scripts, "of-limited", "told"))
	require.NoError(t, err)
	require.Contains(t, string(told), "What you did is still there")
	w.events()
}
