package field_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// The days of a case.
const (
	recorded = 10 // before a change
	after    = 3  // after it
)

// world is Node: the services of the cases, and the truth about them.
type world struct {
	t      testing.TB
	base   string
	client *http.Client
}

func newWorld(t testing.TB) *world {
	t.Helper()
	command := exec.Command("node", filepath.Join(root(t), "testdata", "field", "world.mjs"))
	command.Env = append(os.Environ(), "TZ=UTC")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	w := &world{t: t, client: &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Minute}}
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		_ = in.Close() // at which it ends
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	w.base = strings.TrimSpace(line)
	return w
}

// ask has the world answer one of its commands.
func (w *world) ask(ctx context.Context, command string, with, into any) error {
	body, err := json.Marshal(with)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/"+command, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := w.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", command, text)
	}
	return json.Unmarshal(text, into)
}

// fix is a candidate of a change.
type fix struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

type change struct {
	Name     string `json:"name"`
	Happened string `json:"happened"`
	Tells    []any  `json:"tells"`
	Lost     bool   `json:"lost"`
	Right    []fix  `json:"right"`
	Wrong    []fix  `json:"wrong"`
}

// account says that a text names what the change is about.
func (c change) account(text string) bool {
	text = strings.ToLower(text)
	for _, word := range c.Tells {
		choice, is := word.([]any)
		if !is {
			choice = []any{word}
		}
		found := false
		for _, one := range choice {
			found = found || strings.Contains(text, strings.ToLower(fmt.Sprint(one)))
		}
		if !found {
			return false
		}
	}
	return true
}

// fieldCase is a case as the world has loaded it.
type fieldCase struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Script  string   `json:"script"`
	Source  string   `json:"source"`
	Says    string   `json:"says"`
	Zone    string   `json:"zone"`
	Origins []string `json:"origins"`
	Faults  []string `json:"faults"`
	Changes []change `json:"changes"`

	half, dir, plain string // plain is the script as Node runs it
}

func (w *world) load(ctx context.Context, half, dir string) (*fieldCase, error) {
	c := &fieldCase{half: half, dir: dir}
	if err := w.ask(ctx, "load", map[string]any{"dir": dir}, c); err != nil {
		return nil, err
	}
	var err error
	c.plain, err = plain(c.Script)
	return c, err
}

// day is a day of the truth.
type day struct {
	Status  string          `json:"status"`
	Error   string          `json:"error"`
	Output  json.RawMessage `json:"output"`
	Writes  json.RawMessage `json:"writes"`
	Unknown []string        `json:"unknown"`
	End     string          `json:"end"`
}

func (w *world) truth(ctx context.Context, c *fieldCase, days int) (found []day, err error) {
	err = w.ask(ctx, "truth", map[string]any{"dir": c.dir, "code": c.plain, "days": days}, &found)
	return found, err
}

// effect is what a change makes of the old script on each day after it.
func (w *world) effect(ctx context.Context, c *fieldCase, of string) (found []string, err error) {
	err = w.ask(ctx, "effect", map[string]any{"dir": c.dir, "code": c.plain, "change": of}, &found)
	return found, err
}

// attempt says on which days a candidate is not right.
type attempt struct {
	Recorded []int  `json:"recorded"` // in the old shape
	Carried  []int  `json:"carried"`  // the same days in the new shape
	After    []int  `json:"after"`
	Failed   []int  `json:"failed"` // of those after
	Told     string `json:"told"`
}

func (a attempt) right() bool { return len(a.Recorded)+len(a.Carried)+len(a.After) == 0 }

func (w *world) try(ctx context.Context, c *fieldCase, of, code string) (found attempt, err error) {
	made, err := plain(code)
	if err != nil {
		return attempt{Recorded: []int{0}, Told: err.Error()}, nil //nolint:nilerr // it cannot be saved: that is the finding
	}
	err = w.ask(ctx, "try", map[string]any{"dir": c.dir, "old": c.plain, "change": of, "code": made}, &found)
	return found, err
}

var (
	entry   = regexp.MustCompile(`(?m)export\s+default|module\.exports|^exports\.|function\s+main\b|\b(const|let|var)\s+main\s*=|export\s+\{`)
	imports = regexp.MustCompile(`(?m)^import\s[^;]*?from\s*['"][^'"]+['"];?[^\S\n]*$`)
)

// plain makes CommonJS of a script for Node. Code at the top level becomes a function main.
func plain(code string) (string, error) {
	if !entry.MatchString(code) {
		heads := imports.FindAllString(code, -1)
		code = strings.Join(heads, "\n") + "\nasync function main(input) {\n" + imports.ReplaceAllString(code, "") + "\n}\n"
	}
	made := api.Transform(code, api.TransformOptions{Loader: api.LoaderTS, Format: api.FormatCommonJS, Target: api.ES2022, LogLimit: 1})
	if len(made.Errors) > 0 {
		return "", fmt.Errorf("line %d: %s", made.Errors[0].Location.Line, made.Errors[0].Text)
	}
	return string(made.Code), nil
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	require.NoError(t, err)
	return dir
}

// cases are the folders of a half, or those of them that are named.
func cases(t testing.TB, half, only string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(root(t), "testdata", "field", half, "*", "case.mjs"))
	require.NoError(t, err)
	var found []string
	for _, dir := range dirs {
		dir = filepath.Dir(dir)
		if matched, err := regexp.MatchString("^("+only+")$", filepath.Base(dir)); only == "" || err == nil && matched {
			found = append(found, dir)
		}
	}
	return found
}
