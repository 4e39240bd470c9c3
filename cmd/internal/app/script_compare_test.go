package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
)

const before = `const cents = (usd) => usd * 100;
async function main() {
  const a = await web.getJSON("https://a.test/orders");
  return cents(a.total);
}
`

// A summary names what a reader would look for: functions, and what the script reaches that it did not.
func TestAChangeInWords(t *testing.T) {
	t.Parallel()
	after := strings.Replace(before, "a.total);", "a.total.value);", 1)
	require.Equal(t, []string{"1 line added, 1 line removed", "function changed: main"}, app.ChangeInWords(before, after))

	after = `function toCents(usd) { return usd * 100; }
async function main() {
  const b = await web.postJSON("https://b.test/orders", {key: secret("shop")});
  return toCents(b.total);
}
`
	require.Equal(t, []string{
		"3 lines added, 3 lines removed", "function changed: main", "function new: toCents", "function gone: cents",
		"new host calls: web.postJSON", "host calls no more: web.getJSON", "new hosts: b.test", "hosts no more: a.test",
		"new writes: POST b.test/orders", "new secrets: shop",
	}, app.ChangeInWords(before, after))
	require.Equal(t, []string{"the code is the same"}, app.ChangeInWords(before, before))
	require.Equal(t, []string{"1 line added, 5 lines removed"}, app.ChangeInWords(before, "function ("))
}

// Every line of both sides is there once, in order, and a replaced line stands beside what replaced it.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	for _, after := range []string{before, "", "x\n" + before, strings.ReplaceAll(before, "a", "b"), strings.Replace(before, "\n", "\n\n\n", 1), "one line"} {
		rows, err := app.SideBySide(before, after)
		require.NoError(t, err)
		var left, right []string
		for _, row := range rows {
			if row.Line > 0 {
				left = append(left, row.Before)
				require.Len(t, left, row.Line)
			}
			if row.To > 0 {
				right = append(right, row.After)
				require.Len(t, right, row.To)
			}
			require.Equal(t, row.Same, row.Line > 0 && row.To > 0 && row.Before == row.After)
		}
		require.Equal(t, strings.TrimSuffix(before, "\n"), strings.Join(left, "\n"))
		require.Equal(t, strings.TrimSuffix(after, "\n"), strings.Join(right, "\n"))
	}
	rows, err := app.SideBySide("a\nb\nc\n", "a\nB\nB2\nc\n")
	require.NoError(t, err)
	require.Equal(t, []app.SideRow{
		{Same: true, Line: 1, Before: "a", To: 1, After: "a"}, {Line: 2, Before: "b", To: 2, After: "B"}, {To: 3, After: "B2"},
		{Same: true, Line: 3, Before: "c", To: 4, After: "c"},
	}, rows)
}
