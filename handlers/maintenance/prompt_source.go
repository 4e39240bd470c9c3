package maintenance

import (
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// sourceExcerpt shows the lines around the places of an error, the innermost first, with their
// numbers. It is empty for an error without a place.
func sourceExcerpt(code string, frames []sandbox.Frame) string {
	lines := strings.Split(code, "\n")
	var text strings.Builder
	shown := 0
	for _, frame := range frames {
		if frame.Line < 1 || frame.Line > len(lines) || shown == maxExcerpts {
			continue
		}
		shown++
		if frame.Function != "" {
			fmt.Fprintf(&text, "in %s:\n", frame.Function)
		}
		for n := max(1, frame.Line-excerptLines); n <= min(len(lines), frame.Line+excerptLines); n++ {
			mark := "  "
			if n == frame.Line {
				mark = "> "
			}
			fmt.Fprintf(&text, "%s%4d | %s\n", mark, n, lines[n-1])
		}
	}
	return text.String()
}

// maxExcerpts is how many places of one error are shown.
const maxExcerpts = 3
