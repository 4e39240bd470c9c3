package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// textChange finds what changed in texts that a script takes apart itself: a byte order
// mark, the line ends, the separator or a column name of a table. Nil if nothing did.
func textChange(before, after []string) *conversion {
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	none := func(texts []string, is func(string) bool) bool { return !slices.ContainsFunc(texts, is) }
	hasMark := func(text string) bool { return strings.HasPrefix(text, "\ufeff") }
	hasCR := func(text string) bool { return strings.Contains(text, "\r\n") }
	var result []string
	var says []string
	c := &conversion{name: "text", test: "typeof $ === 'string'", fit: 0.9}
	clean := func(text string) string { return text }
	if none(before, hasMark) && !none(after, hasMark) {
		result = append(result, `.replace(/^\uFEFF/, '')`)
		says = append(says, "without a byte order mark")
		clean = func(text string) string { return strings.TrimPrefix(text, "\ufeff") }
	}
	if none(before, hasCR) && !none(after, hasCR) && !none(before, func(text string) bool { return strings.Contains(text, "\n") }) {
		result = append(result, `.replace(/\r\n/g, '\n')`)
		says = append(says, "with plain line ends")
		inner := clean
		clean = func(text string) string { return strings.ReplaceAll(inner(text), "\r\n", "\n") }
	}
	cleaned := make([]string, len(after))
	for i, text := range after {
		cleaned[i] = clean(text)
	}
	separator := separatorOf(before)
	if now := separatorOf(cleaned); separator != "" && now != "" && now != separator {
		if !none(cleaned, func(text string) bool { return strings.Contains(text, separator) }) {
			return nil // which of them separate columns is not clear
		}
		result = append(result, fmt.Sprintf(`.replace(/%s/g, '%s')`, escapeSeparator(now), escapeSeparator(separator)))
		says = append(says, "with the earlier separator")
		for i, text := range cleaned {
			cleaned[i] = strings.ReplaceAll(text, now, separator)
		}
		// A table that already has the earlier separator is left alone.
		c.test = fmt.Sprintf(`typeof $ === 'string' && !$.includes('%s')`, escapeSeparator(separator))
	}
	if separator != "" {
		step, about, ok := headerChange(before, cleaned, separator, c)
		if !ok {
			return nil
		}
		result, says = append(result, step...), append(says, about...)
	}
	if len(result) == 0 {
		return nil
	}
	c.result, c.says = "$"+strings.Join(result, ""), strings.Join(says, ", ")
	return c
}

func escapeSeparator(separator string) string {
	switch separator {
	case "\t":
		return `\t`
	case "|":
		return `\|`
	}
	return separator
}

// separatorOf is what separates the columns of tables, "" if the texts are none. A table
// may have no rows, as long as another one has.
func separatorOf(texts []string) string {
	for _, separator := range []string{"\t", ";", ",", "|"} {
		table, rows := len(texts) > 0, false
		for _, text := range texts {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			columns := strings.Count(lines[0], separator)
			rows = rows || len(lines) > 1
			if columns == 0 || len(lines) > 1 && strings.Count(lines[1], separator) < columns {
				table = false
				break
			}
		}
		if table && rows {
			return separator
		}
	}
	return ""
}

// headerChange gives renamed columns their earlier names. Not ok if columns vanished that
// nothing stands for.
func headerChange(before, after []string, separator string, c *conversion) (step, says []string, ok bool) {
	old := &group{}
	for _, text := range before {
		old.before = append(old.before, rows(text, separator))
	}
	for _, text := range after {
		old.after = append(old.after, rows(text, separator))
	}
	was, is := columns(old.before), columns(old.after)
	taken := map[string]bool{}
	for _, column := range was {
		if slices.Contains(is, column) {
			continue
		}
		a := old.anomalyAt([]string{"[]"}, []string{"[]"}, column, nil, nil)
		if a == nil || a.how != isMissing {
			continue
		}
		found := a.relocations()
		slices.SortStableFunc(found, func(x, y *resolution) int {
			if x.score > y.score {
				return -1
			}
			return 1
		})
		if len(found) == 0 || found[0].score < plausibleScore || found[0].convert != nil || len(found[0].from.Path) != 1 {
			return nil, nil, false
		}
		best := found[0]
		if taken[best.from.Path[0]] {
			return nil, nil, false
		}
		taken[best.from.Path[0]] = true
		c.doubts = append(c.doubts, best.doubts...)
		if len(found) > 1 && found[1].score > best.score-clearMargin {
			c.doubts = append(c.doubts, fmt.Sprintf("%s and %s could both stand for %s", best.where(), found[1].where(), column))
		}
		c.fit = min(c.fit, (best.score-0.25)/0.75)
		step = append(step, fmt.Sprintf(".replace(/^.*/, (head) => head.split('%[1]s').map((c) => (c.trim() === %[2]s ? %[3]s : c)).join('%[1]s'))",
			escapeSeparator(separator), script.Quote(best.from.Path[0]), script.Quote(column)))
		says = append(says, "with the column "+best.from.Path[0]+" as "+column)
	}
	return step, says, true
}

// rows reads a table as a list of objects, all cells as text.
func rows(text, separator string) any {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	head := strings.Split(lines[0], separator)
	list := []any{}
	for _, line := range lines[1:] {
		if len(list) >= maxLookedAt {
			break
		}
		row := &orderedjson.Object{Fields: map[string]any{}}
		cells := strings.Split(line, separator)
		for i, name := range head {
			if i < len(cells) {
				name = strings.TrimSpace(name)
				row.Keys = append(row.Keys, name)
				row.Fields[name] = strings.TrimSpace(cells[i])
			}
		}
		list = append(list, row)
	}
	return list
}

func columns(tables []any) []string {
	var all []*orderedjson.Object
	for _, table := range tables {
		list, _ := table.([]any)
		for _, row := range list {
			if o, ok := row.(*orderedjson.Object); ok {
				all = append(all, o)
			}
		}
	}
	return payload.KeysOf(all)
}
