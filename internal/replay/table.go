package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
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
func (t *table) problems(path, text string, shorter map[int]bool) []string {
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
	columns, width := payload.NewSchema(), len(strings.Split(rows[0], separator))
	for _, row := range rows {
		cells := strings.Split(row, separator)
		if len(cells) != width || strings.Contains(row, `"`) {
			return nil
		}
		for i, cell := range cells {
			columns.Add("", strings.TrimSpace(cell), []string{strconv.Itoa(i)})
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
		if known[line] || len(cells) > width {
			continue // a heading, or a separator inside a cell
		}
		if shorter[width-len(cells)] {
			continue // a column for each item of a list that is shorter today
		}
		if len(cells) < width {
			return []string{fmt.Sprintf("%s has a line of %d cells (%s), every recorded line has %d", path, len(cells), brief(line), width)}
		}
		for i, cell := range cells {
			if format := columns.At([]string{strconv.Itoa(i)}).Breaks(strings.TrimSpace(cell)); format != "" {
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
