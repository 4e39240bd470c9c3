package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Proof says of a node whose items are pinned in the export whether it makes the same here.
type Proof struct {
	Node string `json:"node"`
	Says string `json:"says"` // one of the following
	Text string `json:"text,omitempty"`
}

// A proof says one of these.
const (
	Same       = "same"
	Differs    = "differs"
	Given      = "given"       // it reaches outside, or begins the run: its pinned items were taken
	NotReached = "not reached" // no items came to it
)

// Prove runs a workflow of n8n with the items that are pinned in its export: nodes that reach outside give them, those of others are
// compared with what the script makes. The error says why there is nothing to compare.
func Prove(ctx context.Context, text string) ([]Proof, error) {
	var w workflow
	if err := json.Unmarshal([]byte(text), &w); err != nil || len(w.Pinned) == 0 {
		return nil, fmt.Errorf("no items are pinned in it: pin the output of its nodes in n8n, and export it again")
	}
	brought, err := fromN8N(text)
	if err != nil {
		return nil, err
	}
	pinned, err := json.Marshal(w.Pinned)
	if err != nil {
		return nil, err
	}
	const begins = "workflow(input, "
	at := strings.Index(brought.Script, begins) + len(begins)
	end := at + strings.Index(brought.Script[at:], ");\n")
	// The items come as JSON, for they may have names that are something else in a program.
	code := brought.Script[:end] + ", JSON.parse(" + inQuotes(string(pinned)) + ")" + brought.Script[end:]
	if err := process.Check(code); err != nil {
		return nil, err
	}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(ctx, sandbox.Execution{
		Code: code, Seed: "prove", Clock: time.Now(), Input: json.RawMessage("{}"), Limits: sandbox.Limits{Wall: time.Minute, ResultBytes: 64 << 20},
	}, silent{})
	if err != nil {
		return nil, err
	}
	var made struct {
		Proofs []struct {
			Node         string
			Made, Pinned []any
		}
		Ran    []string
		Failed *struct{ Node, Message string }
	}
	switch {
	case outcome.Error != nil:
		return nil, fmt.Errorf("the run with the pinned items fails: %s", outcome.Error.Message)
	default:
		if err := json.Unmarshal(outcome.Output, &made); err != nil {
			return nil, fmt.Errorf("importer: what the proof gave: %w", err)
		}
	}
	var proofs []Proof
	compared := map[string]bool{}
	for _, one := range made.Proofs {
		compared[one.Node] = true
		proof := Proof{Node: one.Node, Says: Same}
		if where, is := difference("$", one.Pinned, one.Made); is {
			proof.Says, proof.Text = Differs, where
		}
		proofs = append(proofs, proof)
	}
	for _, node := range w.Nodes {
		if node == nil || w.Pinned[node.Name] == nil || compared[node.Name] {
			continue
		}
		proof := Proof{Node: node.Name, Says: NotReached}
		switch {
		case made.Failed != nil && made.Failed.Node == node.Name:
			proof.Says, proof.Text = Differs, "it fails: "+made.Failed.Message
		case slices.Contains(made.Ran, node.Name):
			proof.Says = Given
		}
		proofs = append(proofs, proof)
	}
	if made.Failed != nil && w.Pinned[made.Failed.Node] == nil {
		proofs = append(proofs, Proof{Node: made.Failed.Node, Says: Differs, Text: "it fails: " + made.Failed.Message})
	}
	return proofs, nil
}

// difference is where two values differ first, and how.
func difference(at string, pinned, made any) (string, bool) {
	switch pinned := pinned.(type) {
	case []any:
		list, is := made.([]any)
		if !is || len(list) != len(pinned) {
			break
		}
		for i := range pinned {
			if where, differs := difference(fmt.Sprintf("%s[%d]", at, i), pinned[i], list[i]); differs {
				return where, true
			}
		}
		return "", false
	case map[string]any:
		members, is := made.(map[string]any)
		if !is {
			break
		}
		names := map[string]bool{}
		for name := range pinned {
			names[name] = true
		}
		for name := range members {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if where, differs := difference(at+"."+name, pinned[name], members[name]); differs {
				return where, true
			}
		}
		return "", false
	default:
		if pinned == made {
			return "", false
		}
	}
	return fmt.Sprintf("%s is %s, and here %s", at, short(pinned), short(made)), true
}

func short(value any) string {
	const most = 60
	text := []rune(inJSON(value))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// silent is a host that has nothing kept, and reaches nothing.
type silent struct{}

// Call implements the host's.
func (silent) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if touched, err := hostcall.TouchOf(call.Tool, call.Args); err == nil && touched.Of == hostcall.Key {
		return sandbox.Reply{Result: json.RawMessage("null")}, nil
	}
	return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "it calls " + call.Tool + ", and its items are not pinned"}}, nil
}
