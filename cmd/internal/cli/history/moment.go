package history

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/projections"
)

// fieldsOf are what people compare, by name, in one order.
func fieldsOf(s app.Snapshot) [][2]string {
	return [][2]string{
		{"title", s.Title}, {"intent", s.Intent}, {"status", string(s.Status)}, {"version", plain.Dash(s.Version)}, {"comment", plain.Dash(s.Comment)},
		{"fixes", fmt.Sprintf("%d since the budget was whole, %d unconfirmed", s.Fixes, len(s.Unconfirmed))},
		{"auto-fix", string(s.Settings.AutoFix)}, {"hosts", plain.Dash(strings.Join(s.Settings.AllowedHosts, ", "))},
		{"under way", fmt.Sprintf("%d runs", len(s.UnderWay))}, {"escalated", plain.Dash(s.Escalation)},
		{"kept", plain.Dash(strings.Join(localLines(s.Local), ", "))},
	}
}

func writeMoment(w io.Writer, m app.ShownMoment, later int) {
	fmt.Fprintf(w, "\nAt %s\n", m.At)
	then, now := fieldsOf(m.State), fieldsOf(m.Now)
	for _, field := range then {
		if field[1] != "-" && field[1] != "" {
			fmt.Fprintf(w, "  %-10s %s\n", field[0], plain.Wrapped(field[1], "             ", 80))
		}
	}
	if later == 0 {
		return
	}
	fmt.Fprintf(w, "\nSince then, in %d events\n", later)
	writeFields(w, then, now)
	if m.Diff != "" {
		fmt.Fprintf(w, "\n%s", plain.Clean(m.Diff))
	}
}

// writeFields writes what is another one.
func writeFields(w io.Writer, then, now [][2]string) (changed int) {
	for i, field := range now {
		if field[1] != then[i][1] {
			fmt.Fprintf(w, "  %-10s %s → %s\n", field[0], plain.Line(plain.Short(then[i][1], 60)), plain.Line(plain.Short(field[1], 60)))
			changed++
		}
	}
	return changed
}

func writeChange(w io.Writer, change app.ShownChange) {
	fmt.Fprintf(w, "From %s to %s, in %d events of the workflow\n", change.From, change.To, len(change.Events))
	then, now := fieldsOf(change.Before), fieldsOf(change.After)
	changed := writeFields(w, then[:len(then)-1], now[:len(now)-1]) // what is kept comes one by one
	before, after := settingsOf(change.Before), settingsOf(change.After)
	either := maps.Clone(before)
	maps.Copy(either, after)
	for _, name := range slices.Sorted(maps.Keys(either)) {
		if before[name] != after[name] {
			fmt.Fprintf(w, "  setting %s: %s → %s\n", name, plain.Line(plain.Short(plain.Dash(before[name]), 60)), plain.Line(plain.Short(plain.Dash(after[name]), 60)))
			changed++
		}
	}
	for _, one := range change.Kept {
		changed++
		if one.File != "" {
			fmt.Fprintf(w, "  file %s: %s → %s\n", plain.Line(one.File), bytesText(one.BytesBefore), bytesText(one.BytesAfter))
			continue
		}
		fmt.Fprintf(w, "  key %s: %s → %s\n", plain.Line(one.Key), plain.Line(plain.Short(plain.Dash(string(one.Before)), 60)), plain.Line(plain.Short(plain.Dash(string(one.After)), 60)))
	}
	if len(change.Runs) > 0 {
		counts := make([]string, 0, len(change.Counts))
		for _, outcome := range slices.Sorted(maps.Keys(change.Counts)) {
			counts = append(counts, fmt.Sprintf("%d %s", change.Counts[outcome], strings.ReplaceAll(outcome, "_", " ")))
		}
		fmt.Fprintf(w, "  runs       %s\n", strings.Join(counts, ", "))
		for _, run := range change.Runs {
			if run.Outcome == "failed" {
				fmt.Fprintf(w, "    %s on version %s failed: %s\n", run.Run, run.Version, plain.Line(plain.Short(run.Failure, 80)))
			}
		}
	}
	if changed == 0 && change.Diff == "" {
		fmt.Fprintln(w, "  Nothing of the workflow itself changed.")
	}
	if change.Diff != "" {
		fmt.Fprintln(w)
		for _, words := range change.Words {
			fmt.Fprintf(w, "  * %s\n", plain.Line(words))
		}
		fmt.Fprintf(w, "\n%s", plain.Clean(change.Diff))
	}
}

// settingsOf are the settings by their names, without those that are among the fields.
func settingsOf(s app.Snapshot) map[string]string {
	text, err := json.Marshal(s.Settings)
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &members) != nil {
		return nil
	}
	named := map[string]string{}
	for name, value := range members {
		if name != "auto_fix" && name != "allowed_hosts" {
			named[name] = string(value)
		}
	}
	return named
}

// bytesText is the size of a file.
func bytesText(bytes int) string {
	if bytes < 0 {
		return "-"
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// localLines are the keys with their values, and the files with their sizes, briefly.
func localLines(local projections.Local) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(local.KV)) {
		lines = append(lines, key+" = "+plain.Short(string(local.KV[key]), 40))
	}
	for _, path := range slices.Sorted(maps.Keys(local.Files)) {
		lines = append(lines, fmt.Sprintf("%s (%d bytes)", path, len(local.Files[path].Text)))
	}
	return lines
}
