package llmtest

import (
	"regexp"
	"strings"
)

var opening = regexp.MustCompile(`<untrusted id="([^"]+)" label="[^"]*">\n`)

// Outside is a text without what stands in fenced blocks (see llm.Fence): nothing that others wrote
// may be in what is left. A block that does not end is left as it is.
func Outside(text string) string {
	var outside strings.Builder
	for {
		at := opening.FindStringSubmatchIndex(text)
		if at == nil {
			return outside.String() + text
		}
		closing := "\n</untrusted id=\"" + text[at[2]:at[3]] + "\">"
		end := strings.Index(text[at[1]-1:], closing) // an empty text leaves one line end for both
		if end < 0 {
			return outside.String() + text
		}
		outside.WriteString(text[:at[0]])
		text = text[at[1]-1+end+len(closing):]
	}
}
