package maintenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// step is one step of a path: .name, [3] or ["any name"].
var step = regexp.MustCompile(`^(?:\.?([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\])`)

// stepsOf reads a path like failed.calls[2].result["odd name"].
func stepsOf(path string) ([]any, error) {
	var steps []any
	rest := strings.TrimPrefix(strings.TrimSpace(path), "$")
	for rest != "" {
		match := step.FindStringSubmatch(rest)
		if match == nil {
			return nil, errors.New(`the path cannot be read: write it like failed.calls[2].result.items[0]["odd name"]`)
		}
		switch {
		case match[1] != "":
			steps = append(steps, match[1])
		case match[2] != "":
			index, err := strconv.Atoi(match[2])
			if err != nil {
				return nil, err
			}
			steps = append(steps, index)
		default:
			var name string
			if err := json.Unmarshal([]byte(`"`+match[3]+`"`), &name); err != nil {
				return nil, errors.New("a name in the path cannot be read")
			}
			steps = append(steps, name)
		}
		rest = rest[len(match[0]):]
	}
	return steps, nil
}

// inspect looks into what was recorded.
func (w *modelAtWork) inspect(_ context.Context, _ string, args lookArgs) (agent.Result, error) {
	steps, err := stepsOf(args.Path)
	if err != nil {
		return agent.Result{}, err
	}
	var at any = map[string]any{"failed": w.job.evidence.Failed, "success": newestFirst(w.job.evidence.Successes)}
	for i, next := range steps {
		if at, err = plain(at); err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
		inner, found := member(at, next)
		if !found {
			return agents.Text(fmt.Sprintf("There is nothing at step %d of the path. There is:\n%s", i+1, llm.Fence("what is there", failure.Cut(overview(at), mostShown)))), nil
		}
		at = inner
	}
	if at, err = plain(at); err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	text, err := json.Marshal(at)
	if err != nil {
		return agent.Result{}, &agent.Fatal{Err: err}
	}
	if len(text) > mostShown/2 {
		return agents.Text(llm.Fence("its shape", failure.Cut(overview(at)+"\n"+sideBySide(w.job.base.Code, payload.NewSchema(), schemaOf(text)), mostShown)) + "\nIt is too long to be shown whole: go deeper, or use eval."), nil
	}
	return agents.Text(llm.Fence("value", string(text))), nil
}

// newestFirst is how successes are counted for a model.
func newestFirst(runs []gate.Run) []gate.Run {
	runs = slices.Clone(runs)
	slices.Reverse(runs)
	return runs
}

// plain turns what is not decoded yet into plain values, and leaves the others: of many runs only
// that one is decoded which is looked at.
func plain(value any) (any, error) {
	switch value.(type) {
	case nil, bool, string, json.Number, map[string]any, []any, []gate.Run:
		return value, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var decoded any
	err = decoder.Decode(&decoded)
	return decoded, err
}

// member is what a step leads to. A string that is a JSON document is stepped into.
func member(of any, step any) (any, bool) {
	if text, is := of.(string); is {
		var document any
		if json.Unmarshal([]byte(text), &document) != nil {
			return nil, false
		}
		of = document
	}
	switch step := step.(type) {
	case string:
		object, _ := of.(map[string]any)
		value, found := object[step]
		return value, found
	case int:
		switch list := of.(type) {
		case []any:
			if step < len(list) {
				return list[step], true
			}
		case []gate.Run:
			if step < len(list) {
				return list[step], true
			}
		}
	}
	return nil, false
}

// overview says what can be stepped into.
func overview(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object with " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case []gate.Run:
		return fmt.Sprintf("a list of %d runs", len(v))
	case json.Number:
		return "number " + v.String()
	}
	made := payload.NewSchema()
	made.Add("", value, nil)
	return made.At(nil).String()
}
