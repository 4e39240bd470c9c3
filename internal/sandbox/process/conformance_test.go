package process_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

var shrink = flag.Bool("shrink", false, "take what passes off the list of known failures, or write the list if it has a first line and nothing else")

// elsewhere are what of test262 is about other things than a script: code that is made of texts, threads, several worlds, modules, and
// proposals that no engine of Node 20 has.
var (
	elsewhereFeatures = regexp.MustCompile(`\b(Temporal|Atomics\S*|SharedArrayBuffer|decorators|explicit-resource-management|import-defer|source-phase-imports\S*|ShadowRealm|cross-realm|IsHTMLDDA|dynamic-import|import-attributes|import-text|import-bytes|json-modules|tail-call-optimization|immutable-arraybuffer|nonextensible-applies-to-private|Intl\S*|await-dictionary|joint-iteration|iterator-sequencing|upsert|Math\.sumPrecise|uint8array-base64|Error\.isError|error-stack-accessor|canonical-tz|stable-\S+|RegExp\.escape|promise-try|set-methods|Array\.fromAsync|json-parse-with-source|legacy-regexp|regexp-duplicate-named-groups|regexp-modifiers|resizable-arraybuffer|arraybuffer-transfer|Float16Array)\b`)
	elsewhereText     = regexp.MustCompile(`\beval\b|\bFunction\s*\(|\$262|GeneratorFunction|AsyncFunction|\bimport\s*\(|import\.meta`)
	frontMatter       = regexp.MustCompile(`(?s)/\*---(.*?)---\*/`)
	frontList         = func(name string) *regexp.Regexp {
		return regexp.MustCompile(name + `:\s*(?:\[([^\]]*)\]|((?:\n\s+- .*)+))`)
	}
	frontFlags    = frontList("flags")
	frontIncludes = frontList("includes")
	frontFeatures = frontList("features")
	frontNegative = regexp.MustCompile(`negative:\s*\n\s*phase:\s*(\w+)\s*\n\s*type:\s*(\w+)`)
)

func frontNames(of *regexp.Regexp, text string) []string {
	found := of.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	return strings.FieldsFunc(found[1]+found[2], func(r rune) bool { return strings.ContainsRune(", \n\r\t", r) || r == '-' && found[1] == "" })
}

// conforming runs one test of test262, and says what is wrong; known is false for one that is about something else.
func conforming(dir, file string, harness func(string) string) (wrong string, known bool) {
	content, err := os.ReadFile(filepath.Join(dir, "test", file))
	if err != nil {
		return err.Error(), true
	}
	text := string(content)
	front := frontMatter.FindStringSubmatch(text)
	if front == nil {
		return "", false
	}
	flags, includes := frontNames(frontFlags, front[1]), frontNames(frontIncludes, front[1])
	features := strings.Join(frontNames(frontFeatures, front[1]), " ")
	has := func(flag string) bool { return slices.Contains(flags, flag) }
	body := strings.Replace(text, front[0], "", 1)
	if has("module") || has("CanBlockIsFalse") || has("CanBlockIsTrue") || elsewhereFeatures.MatchString(features) || elsewhereText.MatchString(body) ||
		slices.ContainsFunc(includes, func(one string) bool { return elsewhereText.MatchString(harness(one)) }) {
		return "", false
	}
	var code strings.Builder
	if has("onlyStrict") {
		code.WriteString("'use strict';\n")
	}
	if !has("raw") {
		code.WriteString("var Function = { prototype: Object.getPrototypeOf(() => {}) };\n") // the harness takes call and bind from it
		includes = append([]string{"assert.js", "sta.js"}, includes...)
		if has("async") {
			includes = append(includes, "doneprintHandle.js")
		}
		code.WriteString("function print(text) { console.log(text); }\n")
		for _, one := range includes {
			code.WriteString(harness(one) + "\n")
		}
	}
	code.WriteString(text)
	negative := frontNegative.FindStringSubmatch(front[1])
	err = engine.Check(code.String())
	switch {
	case negative != nil && negative[1] != "runtime":
		if err == nil {
			return "an invalid text is taken", true
		}
		return "", true
	case err != nil:
		return "refused: " + err.Error(), true
	}
	done := make(chan sandbox.Outcome, 1)
	go func() {
		outcome, _ := process.InProcess{Bindings: bindings()}.Run(context.Background(), sandbox.Execution{Code: code.String(), Seed: "r", Clock: clock, Limits: sandbox.Limits{Wall: 20 * time.Second}}, nil)
		done <- outcome
	}()
	var outcome sandbox.Outcome
	select {
	case outcome = <-done:
	case <-time.After(time.Minute): // a built-in function that loops is left to loop
		return "hangs", true
	}
	switch {
	case negative != nil:
		if outcome.Error == nil || outcome.Error.Name != negative[2] {
			return fmt.Sprintf("%s is not thrown", negative[2]), true
		}
	case outcome.Error != nil:
		return outcome.Error.Name + ": " + outcome.Error.Message, true
	case has("async") && !slices.ContainsFunc(outcome.Log, func(line sandbox.LogLine) bool { return line.Text == "Test262:AsyncTestComplete" }):
		return "it does not complete", true
	}
	return "", true
}

// Rule: of test262 nothing fails that is not on the list of known failures, and who mends one takes it off: make conformance. Without
// the suite the runner itself is tested, on a few tests of ours.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir, listed := os.Getenv("KINTSUGI_TEST262"), "../../../testdata/conformance/test262.txt"
	if dir == "" {
		dir, listed = "../../../testdata/conformance/sample", "../../../testdata/conformance/sample/failures.txt"
	}
	content, err := os.ReadFile(listed)
	require.NoError(t, err)
	// The list begins with the folders that it is about; a folder that is added is listed with -shrink.
	head, rest, _ := strings.Cut(string(content), "\n")
	covered, named := strings.CutPrefix(head, "# covers ")
	require.True(t, named, "%s begins with # covers and its folders", listed)
	want := map[string]bool{}
	for line := range strings.Lines(rest) {
		want[strings.TrimSpace(line)] = true
	}
	var harnesses sync.Map
	harness := func(name string) string {
		text, known := harnesses.Load(name)
		if !known {
			content, err := os.ReadFile(filepath.Join(dir, "harness", name))
			if err != nil {
				panic(err)
			}
			text, _ = harnesses.LoadOrStore(name, string(content))
		}
		return text.(string) //nolint:forcetypeassert // only texts are stored
	}
	files := make(chan string, 1)
	failed, ran := map[string]string{}, map[string]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for file := range files {
				wrong, known := conforming(dir, file, harness)
				mu.Lock()
				if known {
					ran[file] = true
				}
				if wrong != "" {
					failed[file] = wrong
				}
				mu.Unlock()
			}
		})
	}
	only := cmp.Or(os.Getenv("KINTSUGI_ONLY"), covered)
	within := func(file string) bool {
		return slices.ContainsFunc(strings.Fields(only), func(folder string) bool { return strings.HasPrefix(file, folder) })
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "test"), func(at string, entry fs.DirEntry, err error) error {
		file, _ := filepath.Rel(filepath.Join(dir, "test"), at)
		top, _, _ := strings.Cut(filepath.ToSlash(file), "/")
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".js") || strings.HasSuffix(file, "_FIXTURE.js") || !within(filepath.ToSlash(file)) || !slices.Contains([]string{"language", "built-ins", "annexB"}, top) {
			return err
		}
		files <- filepath.ToSlash(file)
		return nil
	}))
	close(files)
	group.Wait()
	require.NotEmpty(t, ran)
	t.Logf("%d tests, %d fail, %d are known to", len(ran), len(failed), len(want))
	left := []string{head}
	for file := range want {
		if !ran[file] {
			left = append(left, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(failed)) {
		if want[file] || rest == "" {
			left = append(left, file)
		} else {
			t.Errorf("%s fails, and is not on the list of known failures: %s", file, failed[file])
		}
	}
	if *shrink {
		slices.Sort(left[1:])
		require.NoError(t, os.WriteFile(listed, []byte(strings.Join(left, "\n")+"\n"), 0o600))
		return
	}
	for file := range want {
		if ran[file] && failed[file] == "" {
			t.Errorf("%s passes: take it off the list, go test ./internal/sandbox/process -run Conformance -shrink", file)
		}
	}
}
