package process_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

type askedRegexp struct {
	Source, Flags, Text string
	From                int
	Want                map[string]json.RawMessage
}

// differing are those of cases that give something else than Node did, each with what, by the name of what was asked.
func differing(t *testing.T, asked string, lines []string) map[int]map[string]string {
	t.Helper()
	code := "const ask = " + asked + ";\nconst cases = [" + strings.Join(lines, ",\n") + `];
async function main() {
	const found = {};
	cases.forEach(({ source, flags, text, from, want }, i) => {
		let got;
		try { got = ask(new RegExp(source, flags), text, from); } catch (e) { got = { throws: e.name + ': ' + e.message }; }
		for (const key of Object.keys({ ...want, ...got })) {
			const [node, here] = [want, got].map((one) => JSON.stringify(one[key]));
			if (node !== here && !(got.throws && key !== 'throws')) (found[i] ??= {})[key] = 'Node ' + node + ', here ' + here;
		}
	});
	return found;
}`
	outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(code), nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	var found map[int]map[string]string
	require.NoError(t, json.Unmarshal(outcome.Output, &found))
	return found
}

// Rule: a regular expression gives what Node gives, at its beginning and from any later place, whatever it is asked for. The file
// has what Node gave; KINTSUGI_REGEXPS names a larger one: make regexps.
func TestRegularExpressionsGiveWhatNodeGives(t *testing.T) {
	t.Parallel()
	name := os.Getenv("KINTSUGI_REGEXPS")
	if name == "" {
		name = "../../../testdata/language/regexps.jsonl"
	}
	file, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	require.True(t, lines.Scan())
	var head struct{ Asked string }
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head))
	var cases []string
	for lines.Scan() {
		cases = append(cases, lines.Text())
	}
	require.NotEmpty(t, cases)
	const batch = 100
	var group sync.WaitGroup
	var mu sync.Mutex
	kinds := map[string][]string{}
	parts := make(chan []string)
	for range 2 {
		group.Go(func() {
			for part := range parts {
				for i, found := range differing(t, head.Asked, part) {
					var one askedRegexp
					if err := json.Unmarshal([]byte(part[i]), &one); err != nil {
						t.Error(err)
					}
					mu.Lock()
					kind := strings.Join(slices.Sorted(maps.Keys(found)), " ")
					kinds[kind] = append(kinds[kind], fmt.Sprintf("/%s/%s of %q from %d: %v", one.Source, one.Flags, one.Text, one.From, found))
					mu.Unlock()
				}
			}
		})
	}
	for part := range slices.Chunk(cases, batch) {
		parts <- part
	}
	close(parts)
	group.Wait()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Errorf("%d differ in %s:\n%s", len(kinds[kind]), kind, strings.Join(kinds[kind][:min(40, len(kinds[kind]))], "\n"))
	}
}
