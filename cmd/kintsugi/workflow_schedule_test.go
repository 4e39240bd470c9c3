package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A schedule is shown with its coming slots, and taken away again; what cannot be one is refused.
func TestScheduleIsShownChangedAndRemoved(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	require.Contains(t, h.ok("workflow", "schedule", "Orders"), "runs by hand only")
	shown := h.ok("workflow", "schedule", "Orders", "30 7 * * mon", "--zone", "Europe/Berlin", "--overlap", "queue", "--jitter", "5m", "--input", `{"a":1}`)
	require.Regexp(t, `Mon \d{4}-\d\d-\d\d 07:30:00 CES?T`, shown)
	one := h.object("workflow", "schedule", "Orders")
	require.Equal(t, "30 7 * * mon", one["spec"])
	require.Equal(t, "5m0s", one["jitter"])
	require.Len(t, one["next"], 3)
	require.Contains(t, h.ok("workflow", "schedule", "Orders"), `With overlap queue, jitter 5m0s, input {"a":1}.`)
	h.ok("workflow", "pause", "Orders")
	require.Contains(t, h.ok("workflow", "schedule", "Orders", "@daily"), "It is paused")
	require.Contains(t, h.ok("workflow", "schedule", "Orders", "--remove"), "runs by hand only")
	for want, args := range map[string][]string{
		`the hour "25"`:                      {"0 25 * * *"},
		"SPEC is empty":                      {""},
		"that is over":                       {"at 2020-01-01 08:00"},
		"--zone \"Mars\" is not a time zone": {"@daily", "--zone", "Mars"},
		"--remove takes the schedule away":   {"@daily", "--remove"},
		"give its SPEC too":                  {"--jitter", "1s"},
		"a window is for":                    {"@daily", "--window", "1h"},
		"choose skip or queue":               {"@daily", "--overlap", "allow"},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, append([]string{"workflow", "schedule", "Orders"}, args...)...).err, want)
	}
}

// A preview shows the next slots of any schedule, also of a workflow that has another, and changes nothing.
func TestSchedulePreviewChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	h.ok("workflow", "schedule", "Orders", "@daily")
	before := h.objects("history", "Orders")
	shown := h.ok("workflow", "schedule", "Orders", "0 8 * * mon-sun", "--zone", "Asia/Tokyo", "--preview", "9")
	require.Equal(t, 9, strings.Count(shown, "08:00:00 JST"), shown)
	require.Contains(t, shown, "Nothing was changed.")
	require.Len(t, h.object("workflow", "schedule", "Orders", "@every 5m", "--preview", "20")["next"], 20)
	require.Len(t, h.object("workflow", "schedule", "Orders", "--preview", "5")["next"], 5)
	for want, args := range map[string][]string{
		`write "every 5m"`:   {"every 5 minutes", "--preview", "3"},
		"between 1 and":      {"@daily", "--preview", "0"},
		"leave --remove out": {"--remove", "--preview", "3"},
		"is not a time zone": {"@daily", "--preview", "3", "--zone", "Mars"},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, append([]string{"workflow", "schedule", "Orders"}, args...)...).err, want)
	}
	require.Equal(t, "@daily", h.object("workflow", "schedule", "Orders")["spec"])
	require.Equal(t, before, h.objects("history", "Orders"))
}

// The server runs slots when they are due.
func TestServerRunsSlots(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main(input) { return [input.n, new Date(input.slot).toISOString(), input.zone] }")
	h.ok("workflow", "schedule", "Orders", "every 1s", "--input", `{"n":7}`, "--zone", "Asia/Tokyo")
	h.dev()
	require.Eventually(t, func() bool { return len(h.objects("run", "list", "--status", "succeeded")) > 1 }, patience, 100*time.Millisecond)
	ran := h.objects("run", "list", "--status", "succeeded")[0]
	require.Equal(t, "schedule", ran["trigger"])
	slot, err := time.Parse(time.RFC3339, ran["slot"].(string))
	require.NoError(t, err)
	require.Equal(t, []any{7.0, slot.Format("2006-01-02T15:04:05.000Z"), "Asia/Tokyo"}, h.object("run", "show", ran["id"].(string))["output"])
}

// Rule 16: slots that wait for a run when the schedule is changed or taken away, or the workflow archived, each have their outcome: the
// command says so in its append, and the history tells why.
func TestRule16SlotsThatWaitHaveAnOutcome(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.outside.hold(t, "/slow")
	changes := map[string][]string{
		"Changed": {"workflow", "schedule", "Changed", "@daily"}, "Removed": {"workflow", "schedule", "Removed", "--remove"},
		"Archived": {"workflow", "archive", "Archived"},
	}
	ids := map[string]string{}
	for title := range changes {
		h.create(title, "async function main() { return web.getJSON('BASE/slow') }")
		h.ok("workflow", "schedule", title, "every 1s", "--overlap", "queue", "--catch-up", "all")
		ids[title] = h.object("workflow", "show", title)["id"].(string)
	}
	h.dev()
	gate.await(t)
	began := time.Now()
	n := h.node()
	require.Eventually(t, func() bool {
		for _, id := range ids {
			if len(slotOutcomes(t, n, id)) == 0 {
				return false
			}
		}
		return time.Since(began) > 4*time.Second // slots wait by then
	}, patience, 50*time.Millisecond)
	for title, change := range changes {
		h.ok(change...)
		outcomes := slotOutcomes(t, n, ids[title])
		first, last := time.Time{}, time.Time{}
		for slot, times := range outcomes {
			require.Equal(t, 1, times, "%s: %s", title, slot)
			if first.IsZero() || slot.Before(first) {
				first = slot
			}
			if slot.After(last) {
				last = slot
			}
		}
		require.Len(t, outcomes, int(last.Sub(first).Seconds())+1, "%s: each slot from %s to %s", title, first, last)
		require.Greater(t, len(outcomes), 3, title)
		require.Contains(t, h.ok("history", ids[title]), "SlotSkipped", title)
	}
	gate.release()
}
