package repair

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/payload"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// The campaign changes what recorded runs received, as APIs do, and mends the scripts
// that break on it. Because the change is made from a run that worked, the right outcome
// is known. KINTSUGI_REPAIR_CAMPAIGN="20000 3" makes that many changes, from another seed,
// instead of the few of every test run.

// drift is one change of a payload.
type drift struct {
	name string
	// lossy changes take something away, so nothing but the very same outcome may be applied.
	lossy bool
	// apply changes the value of a key of an object in place; false if it cannot.
	apply func(rng *rand.Rand, o *orderedjson.Object, key string) bool
}

// restyled writes a name the other way: camelCase for snake_case and back.
func restyled(name string) string {
	parts := payload.Words(name)
	if len(parts) < 2 {
		return ""
	}
	if strings.Contains(name, "_") {
		for i := 1; i < len(parts); i++ {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		return strings.Join(parts, "")
	}
	return strings.Join(parts, "_")
}

var drifts = []drift{
	{name: "restyled", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool { return o.Rename(key, restyled(key)) }},
	{name: "nested in attributes", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		value := o.Fields[key]
		o.Remove(key)
		return o.Put("attributes", orderedjson.New(key, value))
	}},
	{name: "nested in its details", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		value := o.Fields[key]
		o.Remove(key)
		return o.Put(key+"_details", orderedjson.New("object", "details", key, value))
	}},
	{name: "list wrapped", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		list, ok := o.Fields[key].([]any)
		if ok {
			o.Fields[key] = orderedjson.New("object", "list", "data", list, "has_more", false)
		}
		return ok
	}},
	{name: "list of one unwrapped", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		list, ok := o.Fields[key].([]any)
		if ok && len(list) == 1 {
			o.Fields[key] = list[0]
			return true
		}
		return false
	}},
	{name: "number as text", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		n, ok := o.Fields[key].(float64)
		if ok {
			o.Fields[key] = strconv.FormatFloat(n, 'f', -1, 64)
		}
		return ok
	}},
	{name: "text as number", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		text, _ := o.Fields[key].(string)
		n, err := strconv.ParseFloat(text, 64)
		if err == nil {
			o.Fields[key] = n
		}
		return err == nil
	}},
	{name: "seconds as a time", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		n, ok := o.Fields[key].(float64)
		if ok = ok && n > payload.FirstSecond && n < payload.LastSecond; ok {
			o.Fields[key] = time.Unix(int64(n), 0).UTC().Format(time.RFC3339)
		}
		return ok
	}},
	{name: "time as seconds", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		text, _ := o.Fields[key].(string)
		at, err := time.Parse(time.RFC3339, text)
		if err == nil {
			o.Fields[key] = float64(at.Unix())
		}
		return err == nil
	}},
	{name: "value in an object", apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		switch o.Fields[key].(type) {
		case string, float64:
			o.Fields[key] = orderedjson.New("value", o.Fields[key], "source", "system")
			return true
		}
		return false
	}},
	{name: "suffixed", apply: func(rng *rand.Rand, o *orderedjson.Object, key string) bool {
		return o.Rename(key, key+[]string{"_value", "_v2", "Info"}[rng.IntN(3)])
	}},
	{name: "another name", apply: func(rng *rand.Rand, o *orderedjson.Object, key string) bool {
		return o.Rename(key, []string{"zeta", "primary_kind", "extra", "ledger"}[rng.IntN(4)])
	}},
	{name: "removed", lossy: true, apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool { o.Remove(key); return true }},
	{name: "null", lossy: true, apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool { o.Fields[key] = nil; return true }},
	{name: "replaced by a stranger", lossy: true, apply: func(rng *rand.Rand, o *orderedjson.Object, key string) bool {
		var other any
		switch v := o.Fields[key].(type) {
		case string:
			other = []string{"alpha", "beta", "gamma ray", "eu-west"}[rng.IntN(4)]
		case float64:
			other = v*float64(2+rng.IntN(5)) + 3
		case bool:
			other = !v
		default:
			return false
		}
		o.Remove(key)
		return o.Put([]string{"region", "tier", "score", "channel", "batch"}[rng.IntN(5)], other)
	}},
	{name: "another unit", lossy: true, apply: func(rng *rand.Rand, o *orderedjson.Object, key string) bool {
		n, ok := o.Fields[key].(float64)
		if !ok || n == 0 {
			return false
		}
		o.Remove(key)
		if rng.IntN(2) == 0 {
			return o.Put(key+"_cents", n*100)
		}
		return o.Put(key+"_major", n/100)
	}},
	{name: "qualified and other", lossy: true, apply: func(rng *rand.Rand, o *orderedjson.Object, key string) bool {
		n, ok := o.Fields[key].(float64)
		if !ok {
			return false
		}
		o.Remove(key)
		return o.Put([]string{"previous_", "net_", "estimated_"}[rng.IntN(3)]+key, n+7)
	}},
	{name: "constants in capitals", lossy: true, apply: func(_ *rand.Rand, o *orderedjson.Object, key string) bool {
		text, _ := o.Fields[key].(string)
		if !slices.Contains([]string{"status", "state", "type", "kind", "billing", "urgency", "event", "eventName", "brand", "currency", "reason"}, key) {
			return false
		}
		if payload.FormatOf(text) != payload.FormatWord || strings.ToUpper(text) == text {
			return false
		}
		o.Fields[key] = strings.ToUpper(text)
		return o.Rename(key, key+"_code")
	}},
}

// place is a key of objects at a path.
type place struct {
	path []string
	key  string
}

func placesIn(value any, path []string, found map[string]place) {
	switch v := value.(type) {
	case *orderedjson.Object:
		for _, key := range v.Keys {
			found[strings.Join(path, ".")+"|"+key] = place{slices.Clone(path), key}
			placesIn(v.Fields[key], append(slices.Clip(path), key), found)
		}
	case []any:
		for _, element := range v {
			placesIn(element, append(slices.Clip(path), "[]"), found)
		}
	}
}

// drifted is a recorded success with every payload of one call address (or the input)
// changed at one place; false if nothing could be changed, or if the script does not break
// although it should, or does although it should not.
func drifted(t *testing.T, rng *rand.Rand, code string, run gate.Run, change drift, breaks bool) (failed gate.Run, about string, ok bool) {
	t.Helper()
	type source struct {
		calls []int
		value any
	}
	var sources []source
	if value := payload.Decode(run.Input); payload.KindOf(value) == "object" && run.Trigger == "webhook" {
		sources = append(sources, source{nil, value})
	}
	for i, call := range run.Calls {
		if call.Tool == "web.getJSON" && call.Error == nil {
			sources = append(sources, source{[]int{i}, payload.Decode(call.Result)})
		}
	}
	if len(sources) == 0 {
		return failed, "", false
	}
	chosen := sources[rng.IntN(len(sources))]
	places := map[string]place{}
	placesIn(chosen.value, nil, places)
	names := make([]string, 0, len(places))
	for name := range places {
		names = append(names, name)
	}
	if len(names) == 0 {
		return failed, "", false
	}
	slices.Sort(names)
	at := places[names[rng.IntN(len(names))]]
	failed = run
	failed.ID = "drifted"
	failed.Calls = slices.Clone(run.Calls)
	seed := rng.Uint64() // the same change everywhere
	alter := func(text json.RawMessage) (json.RawMessage, bool) {
		value := payload.Decode(text)
		changed := false
		for _, one := range payload.Instances(value, at.path) {
			if o, isObject := one.Value().(*orderedjson.Object); isObject {
				if _, has := o.Fields[at.key]; has && change.apply(rand.New(rand.NewPCG(seed, 1)), o, at.key) {
					changed = true
				}
			}
		}
		text, err := orderedjson.Encode(value)
		require.NoError(t, err)
		return text, changed
	}
	changed := false
	if chosen.calls == nil {
		failed.Input, changed = alter(run.Input)
	} else {
		like := template(run.Calls[chosen.calls[0]].Args)
		for i, call := range run.Calls {
			if call.Tool == "web.getJSON" && call.Error == nil && template(call.Args) == like {
				result, done := alter(call.Result)
				failed.Calls[i].Result = result
				changed = changed || done
			}
		}
	}
	if !changed {
		return failed, "", false
	}
	again, err := gate.Reproduce(t.Context(), runner(), code, "", &failed)
	require.NoError(t, err)
	about = strings.Join(at.path, ".") + "." + at.key + " " + change.name
	if !breaks {
		return failed, about, again.Outcome.Error == nil
	}
	if again.Outcome.Error == nil || again.Outcome.Error.Code == sandbox.CodeUnanswerable {
		return failed, "", false
	}
	// The calls of the run before it broke, and the reads that it would have made.
	made := map[int]bool{}
	var calls []gate.Call
	for _, call := range again.Outcome.Calls {
		if call.Journal >= 0 {
			made[call.Journal] = true
			calls = append(calls, failed.Calls[call.Journal])
		}
	}
	for i, call := range failed.Calls {
		if !made[i] && call.Effect == string(sandbox.Read) {
			calls = append(calls, call)
		}
	}
	failed.Calls = calls
	e := again.Outcome.Error
	failed.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{Class: e.Class, Name: e.Name, Message: e.Message}}
	failed.Log = nil
	return failed, about, true
}

// TestMendDriftedRuns: every fix that is applied after a change of the payloads gives the outcome that the run had
// before the change.
func TestMendDriftedRuns(t *testing.T) {
	t.Parallel()
	trials, seed := 300, uint64(7)
	if text := os.Getenv("KINTSUGI_REPAIR_CAMPAIGN"); text != "" {
		_, err := fmt.Sscan(text+" 7", &trials, &seed)
		require.NoError(t, err)
	}
	var all []Evidence
	for _, folder := range []string{"cases", "automations"} {
		bundles, err := filepath.Glob(filepath.Join("..", "..", "testdata", folder, "*", "bundle.json"))
		require.NoError(t, err)
		for _, bundle := range bundles {
			all = append(all, loadBundle(t, bundle))
		}
	}
	require.NotEmpty(t, all)
	rng := rand.New(rand.NewPCG(seed, 7))
	broken, right, held := map[string]int{}, map[string]int{}, map[string]int{}
	var wrong []string
	for range trials {
		e := all[rng.IntN(len(all))]
		change := drifts[rng.IntN(len(drifts))]
		at := rng.IntN(len(e.Successes))
		original := e.Successes[at]
		changed := original
		twice := ""
		if rng.IntN(3) == 0 {
			// A second change, which breaks nothing by itself, must not be overlooked.
			other := drifts[rng.IntN(len(drifts))]
			if quiet, where, ok := drifted(t, rng, e.Code, original, other, false); ok && !other.lossy {
				changed, twice = quiet, " and "+where
			}
		}
		failed, about, ok := drifted(t, rng, e.Code, changed, change, true)
		if !ok {
			continue
		}
		about += twice
		e.Successes = slices.Delete(slices.Clone(e.Successes), at, at+1)
		e.Failed = failed
		broken[change.name]++
		r := mend(t, e)
		var writes []gate.Write
		for _, call := range original.Calls {
			if call.Effect == string(sandbox.Write) {
				writes = append(writes, gate.Write{Tool: call.Tool, Args: call.Args})
			}
		}
		same := r.Best != nil && (expected{original.Outcome.Output, writes}).outcome() == outcomeOf(*r.Best)
		switch {
		case r.Best == nil:
			continue
		case r.Held && same:
			held[change.name]++
			if len(r.Best.Candidate.Doubts) == 0 {
				t.Logf("held by the gate alone: %s, run %s, %s: %q", e.Title, original.ID, about, r.Reasons)
			}
			continue
		case r.Held:
			continue
		case same:
			right[change.name]++
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s, run %s, %s: %s\n%s\nwant %s", e.Title, original.ID, about, r.Best.Candidate.Comment, show(r), original.Outcome.Output))
	}
	for _, change := range drifts {
		t.Logf("%-24s broke %4d, mended %4d, held though right %4d", change.name, broken[change.name], right[change.name], held[change.name])
	}
	require.Empty(t, wrong, "%d wrong repairs: %s", len(wrong), strings.Join(wrong, "\n\n"))
}
