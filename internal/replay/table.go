package replay

import (
	"fmt"
	"slices"
	"strings"
)

// table is the lines of the texts that were recorded at one place, as rows of cells. It
// knows one separator for all of them; quoted cells are beyond it.
type table struct {
	texts [][]string
}

// separators of cells, the most telling first.
var separators = []string{"\t", "|", ";", ","}

func (t *table) add(text string) {
	t.texts = append(t.texts, tableLines(text))
}

// rows are the recorded lines that are no headings: those that not every text has.
func (t *table) rows() []string {
	in := map[string]int{}
	for _, lines := range t.texts {
		for i, line := range lines {
			if !slices.Contains(lines[:i], line) {
				in[line]++
			}
		}
	}
	var rows []string
	for _, lines := range t.texts {
		for _, line := range lines {
			if in[line] < len(t.texts) || len(t.texts) == 1 {
				rows = append(rows, line)
			}
		}
	}
	return rows
}

// problems says which cells of a text are not as in all recorded rows. It says nothing
// where the rows have no common number of cells.
func (t *table) problems(path, text string, rules shapeRules) []string {
	rows := t.rows()
	if len(rows) < sameFormat {
		return nil
	}
	separator := ""
	for _, s := range separators {
		if strings.Contains(rows[0], s) {
			separator = s
			break
		}
	}
	if separator == "" {
		return nil
	}
	var columns []map[string]int
	for _, row := range rows {
		cells := strings.Split(row, separator)
		if columns == nil {
			columns = make([]map[string]int, len(cells))
			for i := range columns {
				columns[i] = map[string]int{}
			}
		}
		if len(cells) != len(columns) || strings.Contains(row, `"`) {
			return nil
		}
		for i, cell := range cells {
			columns[i][formatOf(strings.TrimSpace(cell))]++
		}
	}
	known := map[string]bool{}
	for _, lines := range t.texts {
		for _, line := range lines {
			known[line] = true
		}
	}
	for _, line := range tableLines(text) {
		cells := strings.Split(line, separator)
		if known[line] || len(cells) > len(columns) {
			continue // a heading, or a separator inside a cell
		}
		if rules.shorter[len(columns)-len(cells)] {
			continue // a column for each item of a list that is shorter today
		}
		if len(cells) < len(columns) {
			return []string{fmt.Sprintf("%s has a line of %d cells (%s), every recorded line has %d", path, len(cells), brief(line), len(columns))}
		}
		for i, cell := range cells {
			format, ok := commonFormat(columns[i])
			if !ok {
				continue
			}
			if got := formatOf(strings.TrimSpace(cell)); got != format && got != "nothing" {
				return []string{fmt.Sprintf("%s has %s in a column that was always %s", path, brief(cell), format)}
			}
		}
	}
	return nil
}

func tableLines(text string) []string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return kept
}
