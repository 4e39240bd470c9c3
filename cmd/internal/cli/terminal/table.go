package terminal

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	tables "github.com/jedib0t/go-pretty/v6/table"
	cells "github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
)

// Screen is a terminal that a person looks at. Output to a file or another program is neither cut nor coloured, and
// its ids are whole.
type Screen struct {
	io.Writer
	Width  int // in cells
	colour bool
	zone   *time.Location // of who looks; nil for this machine's
}

// Local is a time in the zone of the reader of w.
func Local(w io.Writer, t time.Time) time.Time {
	if to, is := w.(Screen); is && to.zone != nil {
		return t.In(to.zone)
	}
	return t.Local()
}

// ScreenOf is the terminal that w is, or none: its width is 0.
func ScreenOf(w io.Writer) Screen {
	if is, ok := w.(Screen); ok {
		return is
	}
	if !IsTerminal(w) {
		return Screen{Writer: w}
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return Screen{Writer: w, Width: width, colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

const (
	between  = 2 // cells from column to column
	narrowed = 8 // cells that a column keeps however narrow the terminal is
)

// Table prints rows in columns, as wide as the terminal is. Cells are cleaned: they may come from a script.
func Table(w io.Writer, header []string, rows [][]string) {
	to := ScreenOf(w)
	brief := map[string]string{}
	if to.Width > 0 {
		brief = BriefIDs(slices.Concat(rows...))
	}
	shown := make([][]string, len(rows))
	widths := make([]int, len(header))
	for column, name := range header {
		widths[column] = cells.StringWidth(name)
	}
	for i, row := range rows {
		shown[i] = make([]string, len(row))
		for column, cell := range row {
			cell = plain.Line(cell)
			cell = cmp.Or(brief[cell], cell)
			shown[i][column] = cell
			widths[column] = max(widths[column], cells.StringWidth(cell))
		}
	}
	to.fit(widths)

	out := tables.NewWriter()
	out.SetOutputMirror(to)
	out.SuppressTrailingSpaces()
	out.SetStyle(tables.Style{Box: tables.BoxStyle{PaddingRight: strings.Repeat(" ", between)}, Options: tables.OptionsNoBordersAndSeparators})
	add := func(row []string, painted func(column int, cell string) string) {
		one := make(tables.Row, len(row))
		for column, cell := range row {
			one[column] = painted(column, cells.Snip(cell, widths[column], "…"))
		}
		out.AppendRow(one)
	}
	add(header, func(_ int, cell string) string { return to.Paint(Bold, cell) })
	for _, row := range shown {
		add(row, func(column int, cell string) string { return to.Paint(colourOf(header[column], row[column]), cell) })
	}
	out.Render()
}

// fit narrows the widest columns until a line is no longer than the terminal is wide.
func (s Screen) fit(widths []int) {
	if s.Width == 0 {
		return
	}
	over := between*(len(widths)-1) - s.Width
	for _, width := range widths {
		over += width
	}
	for ; over > 0; over-- {
		widest := 0
		for column, width := range widths {
			if width >= widths[widest] {
				widest = column
			}
		}
		if widths[widest] <= narrowed {
			return
		}
		widths[widest]--
	}
}

// Text is how wide a text is that stands so far in: no line of it is longer than is good to read.
func (s Screen) Text(indent int) int {
	if s.Width == 0 {
		return 96
	}
	return max(min(96, s.Width-indent), 2*narrowed)
}

// LeastOfID is how much of an id is shown, if that tells the ids apart: enough that it also names one of
// very many that are not shown.
const LeastOfID = 8

// BriefIDs is what the ids among texts are shown as: the shortest ending that no other one has. The
// beginning of an id is the time it was made at, and many share it.
func BriefIDs(texts []string) map[string]string {
	brief := map[string]string{}
	for _, text := range texts {
		if uuid.Validate(text) == nil {
			brief[text] = ""
		}
	}
	for length, left := LeastOfID, len(brief); left > 0; length++ {
		same := map[string]int{}
		for id := range brief {
			same[Ending(id, length)]++
		}
		for id, known := range brief {
			if end := Ending(id, length); known == "" && same[end] == 1 {
				brief[id] = end
				left--
			}
		}
	}
	return brief
}

// Ending is the last bytes of an id.
func Ending(id string, length int) string { return id[max(len(id)-length, 0):] }

// The colours, as terminals know them.
const (
	Bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// colourOf is the colour of a cell that says how something stands; none for others.
func colourOf(header, cell string) string {
	switch header {
	case "STATUS", "STATE", "OUTCOME", "LAST RUN":
	default:
		return ""
	}
	word, _, _ := strings.Cut(cell, " ")
	switch word {
	case "failed", "escalated", "regressed":
		return red
	case "succeeded", "active", "applied", "accepted", "confirmed":
		return green
	case "held", "waiting", "maintenance", "paused", "asking", "in_doubt":
		return yellow
	}
	return ""
}

// Paint colours a text, where there are colours.
func (s Screen) Paint(colour, text string) string {
	if !s.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// MostShown bounds what an overview shows of a list that may be long.
const MostShown = 5
