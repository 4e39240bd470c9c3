package terminal

import (
	"bytes"
	"strings"
	"testing"

	cells "github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

const (
	idOne   = "019aac10-0001-7000-8000-00000badcafe"
	idTwo   = "019aac10-0001-7000-8000-10000badf00d"
	idThree = "019aac10-0001-7000-8000-20000badf00d"
)

// A list is as wide as the terminal: long texts give way, ids and words do not.
func TestListsFitTheTerminal(t *testing.T) {
	t.Parallel()
	rows := [][]string{
		{idOne, "Refunds of the shop that sells everything, each morning", "failed", strings.Repeat("TypeError ", 30)},
		{idTwo, "会社の返金レポート", "succeeded", "\x1b[2Jno\tcolumn\nno line"},
	}
	header := []string{"ID", "WORKFLOW", "STATUS", "FAILURE"}
	for _, width := range []int{60, 80, 120} {
		var out bytes.Buffer
		Table(Screen{Writer: &out, Width: width, colour: true}, header, rows)
		require.NotContains(t, out.String(), "\x1b[2J")
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.Len(t, lines, 3)
		for _, one := range lines {
			require.LessOrEqual(t, cells.StringWidthWithoutEscSequences(one), width, one)
		}
		require.Contains(t, lines[0], "\x1b[1mID\x1b[0m")
		require.Contains(t, lines[1], "\x1b[31mfailed\x1b[0m")
		require.Contains(t, lines[1], "…")
		require.Contains(t, lines[2], "\x1b[32msucceeded\x1b[0m")
	}

	var out bytes.Buffer
	Table(Screen{Writer: &out, Width: 80, colour: false}, header, rows)
	require.NotContains(t, out.String(), "\x1b", "NO_COLOR")

	out.Reset()
	Table(&out, header, rows)
	require.NotContains(t, out.String(), "\x1b", "to a file")
	require.NotContains(t, out.String(), "…")
	require.Contains(t, out.String(), idOne)
	for one := range strings.Lines(out.String()) {
		require.Equal(t, strings.TrimRight(one, " \n")+"\n", one)
	}
}

// The short form of an id in a list is unique in it.
func TestBriefIDsAreUnique(t *testing.T) {
	t.Parallel()
	brief := BriefIDs([]string{idOne, idThree, idTwo, "my-own-id", idOne, ""})
	require.Equal(t, map[string]string{idOne: "0badcafe", idTwo: "10000badf00d", idThree: "20000badf00d"}, brief)
}
