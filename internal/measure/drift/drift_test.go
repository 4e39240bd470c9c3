package drift_test

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func named(t *testing.T, name string) drift.Automation {
	t.Helper()
	all := everything(t)
	at := slices.IndexFunc(all, func(a drift.Automation) bool { return a.Name == name })
	require.GreaterOrEqual(t, at, 0)
	return all[at]
}

func fault(t *testing.T, s *drift.Scene, kind, place string) drift.Fault {
	t.Helper()
	faults := s.Faults(slices.DeleteFunc(drift.Kinds(), func(k drift.Kind) bool { return k.Name != kind }), 1000)
	at := slices.IndexFunc(faults, func(f drift.Fault) bool { return strings.HasSuffix(f.Place, place) })
	require.GreaterOrEqual(t, at, 0, "%s at %s", kind, place)
	return faults[at]
}

// proposes is a fixer with one idea.
type proposes func(code string) string

func (proposes) Name() string { return "one" }

func (p proposes) Propose(ctx context.Context, e repair.Evidence, judge repair.Judge) (string, error) {
	_, err := judge(ctx, repair.Candidate{Code: p(e.Code), Fixer: "one", Score: 1})
	return "", err
}

// The measure tells right from wrong: a right repair is right, one that only silences the error is wrong and not
// applied, one that holds for the failing day alone is found out on the days held aside.
func TestMeasureTellsRightFromWrong(t *testing.T) {
	t.Parallel()
	scene, err := drift.Prepare(t.Context(), runner(), named(t, "inventory-reorder"), 1)
	require.NoError(t, err)
	broken := fault(t, scene, "nested: in attributes", "items[].sku")
	measure := func(from, to string) drift.Measured {
		m, err := scene.Measure(t.Context(), broken, proposes(func(code string) string { return strings.Replace(code, from, to, 1) }))
		require.NoError(t, err)
		require.Equal(t, drift.Detected, m.Effect)
		return m
	}
	m := measure("item.sku.trim()", "(item.sku ?? item.attributes.sku).trim()")
	require.Equal(t, drift.Right, m.Applied, "%q", m.Result.Reasons)
	require.Equal(t, drift.Right, m.Ungated)

	m = measure("item.sku.trim()", "(item.sku ?? '').trim()")
	require.Equal(t, drift.Nothing, m.Applied)
	require.Equal(t, drift.Wrong, m.Ungated)

	m = measure("item.sku.trim()", "item.attributes.sku.trim()")
	require.Equal(t, drift.Nothing, m.Applied, "old payloads break")
	require.Equal(t, drift.Right, m.Ungated, "the days aside are all of the new shape")
	became, recorded, err := scene.Tell(t.Context(), broken, strings.Replace(scene.Automation.Code, "item.sku.trim()", "item.attributes.sku.trim()", 1))
	require.NoError(t, err)
	require.Equal(t, drift.Wrong, became, "it does not repeat the recorded days")
	require.True(t, recorded)

	m = measure("let orders = 0;", "let orders = 0; return { orders: 0, lines: 0 };")
	require.Equal(t, drift.Nothing, m.Applied)
	require.Equal(t, drift.Nothing, m.Ungated, "it still fails")
}

// The same seed makes the same days, recordings and faults.
func TestScenesRepeat(t *testing.T) {
	t.Parallel()
	a := named(t, "llm-receipt")
	first, err := drift.Prepare(t.Context(), runner(), a, 3)
	require.NoError(t, err)
	again, err := drift.Prepare(t.Context(), runner(), a, 3)
	require.NoError(t, err)
	require.Equal(t, first.Successes, again.Successes)
	places := func(s *drift.Scene) []string {
		var found []string
		for _, f := range s.Faults(drift.Kinds(), 2) {
			found = append(found, f.Kind.Name+" "+f.Place)
		}
		return found
	}
	require.Equal(t, places(first), places(again))
	require.Contains(t, strings.Join(places(first), "\n"), "text: JSON in fences")
	other, err := drift.Prepare(t.Context(), runner(), a, 4)
	require.NoError(t, err)
	require.NotEqual(t, first.Successes, other.Successes)
}

// A server plays the days of a scene, changed where they are changed, and trouble on demand.
func TestServerPlaysDays(t *testing.T) {
	t.Parallel()
	scene, err := drift.Prepare(t.Context(), runner(), named(t, "oncall-handover"), 1)
	require.NoError(t, err)
	broken := fault(t, scene, "flattened", "on_call.user")
	play, err := scene.Play(t.Context(), &broken, 1)
	require.NoError(t, err)
	require.Len(t, play.Days, play.Recorded+2)
	require.True(t, scene.AsksFirst())

	server := &drift.Server{}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	local := play.At(web.URL)
	require.NotContains(t, local.Code, "https://")
	ask := func() (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/oncall.example.test/schedules/main/now", http.NoBody)
		require.NoError(t, err)
		response, err := web.Client().Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text := new(strings.Builder)
		require.NoError(t, response.Write(text))
		return response.StatusCode, text.String()
	}
	server.Answer(local.Days[0].Run)
	_, text := ask()
	require.Contains(t, text, `"user":{`)
	server.Answer(local.Days[play.Recorded].Run)
	_, text = ask()
	require.Contains(t, text, `"user_name":`)
	server.Fail(drift.Trouble{Status: 503, Type: "text/plain", Body: "later"})
	status, _ := ask()
	require.Equal(t, 503, status)
}

// A faulty file is refused with its name.
func TestLoadNamesTheFault(t *testing.T) {
	t.Parallel()
	_, err := drift.Load(fstest.MapFS{"x.js": {Data: []byte("function main() {}")}})
	require.ErrorContains(t, err, "x.js")
	_, err = drift.Load(fstest.MapFS{"x.js": {Data: []byte("// A\n// B\nfunction main() {}\n// ---- outside\nfunction outside() { return {} }")}})
	require.NoError(t, err)
	_, err = drift.Load(unreadable{})
	require.ErrorIs(t, err, fs.ErrPermission)
}

type unreadable struct{}

func (unreadable) Open(string) (fs.File, error) { return nil, fs.ErrPermission }

// Glob implements fs.GlobFS.
func (unreadable) Glob(string) ([]string, error) { return nil, fs.ErrPermission }

var _ sandbox.Runner = runner()
