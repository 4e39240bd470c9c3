package history

import (
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
	for i, field := range now {
		if field[1] != then[i][1] {
			fmt.Fprintf(w, "  %-10s %s → %s\n", field[0], plain.Line(plain.Short(then[i][1], 60)), plain.Line(plain.Short(field[1], 60)))
		}
	}
	if m.Diff != "" {
		fmt.Fprintf(w, "\n%s", plain.Clean(m.Diff))
	}
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
