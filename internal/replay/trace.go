package replay

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

//go:embed tracer.js
var tracerJS string

// mostReads bounds how many different members one trace notes.
const mostReads = 5000

// reads are the members that a run read of what it was given: source, a line feed, and
// the path. They tell what a script looks at without guessing from its text.
type reads map[string]bool

// memberRead is how a read is written: the members' names parted by line feeds, items as [*].
func memberRead(path, member string) string { return path + "\n" + member }

// traced is the script with the tracer behind it; false if main is used in a way that
// cannot be followed. No line moves.
func traced(s *script.Source, tools, closed []string) (string, bool) {
	alias := ""
	for i := range 1000 {
		if name := fmt.Sprintf("m%03d", i); s.Words[name] == 0 {
			alias = name
			break
		}
	}
	var code strings.Builder
	at := 0
	var places []int
	for _, node := range s.Nodes {
		name, ok := node.(*ast.Identifier)
		if !ok || name.Name != "main" {
			continue
		}
		switch s.Parents[node].(type) {
		case *ast.PropertyShort:
			return "", false
		case *ast.DotExpression:
			if s.IsMember(node) {
				return "", false
			}
		}
		places = append(places, s.Start(node))
	}
	slices.Sort(places)
	for _, place := range slices.Compact(places) {
		code.WriteString(s.Code[at:place])
		code.WriteString(alias)
		at = place + len("main")
	}
	code.WriteString(s.Code[at:])
	if len(places) == 0 {
		return "", false
	}
	code.WriteByte('\n')
	code.WriteString(strings.NewReplacer(
		"/*TOOLS*/ []", literal(tools), "/*CLOSED*/ []", literal(closed), "/*MOST*/ 0", fmt.Sprint(mostReads), "/*MAIN*/ null", alias,
	).Replace(tracerJS))
	return code.String(), true
}

// literal is a list of texts as it is written in a script.
func literal(texts []string) string {
	parts := make([]string, len(texts))
	for i, text := range texts {
		parts[i] = quote(text)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// trace runs a script on a run and returns what it read, nil if that cannot be told: the
// run was cut short, or the tracer disturbed it. Before is the same run without the tracer.
func (g *Gate) trace(ctx context.Context, s *script.Source, run *Run, before *replayed) (reads, error) {
	if s == nil {
		return nil, nil
	}
	var tools, closed []string
	sources := map[string]string{"input": "input"}
	made := map[string]int{}
	for _, call := range before.Calls {
		source := fmt.Sprintf("%s#%d", call.Tool, made[call.Tool])
		made[call.Tool]++
		sources[source] = g.evidence().templates.of(call.Tool, call.Args)
		if call.Opaque {
			closed = append(closed, source)
		}
	}
	for _, node := range s.Nodes {
		if call, ok := node.(*ast.CallExpression); ok {
			if name := script.Callee(call); script.HostObjects[strings.SplitN(name, ".", 2)[0]] && !slices.Contains(tools, name) {
				tools = append(tools, name)
			}
		}
	}
	code, ok := traced(s, tools, closed)
	if !ok {
		return nil, nil
	}
	outcome, err := g.execute(ctx, code, run)
	if err != nil || outcome.Error != nil || !sameCalls(before, &outcome) {
		return nil, err
	}
	paths, ok := decode(outcome.Output).([]any)
	if !ok {
		return nil, nil
	}
	found := reads{}
	for _, one := range paths {
		path, _ := one.(string)
		end := strings.IndexAny(path, "\n[")
		if end < 0 {
			continue
		}
		if source, known := sources[path[:end]]; known {
			found[source+path[end:]] = true
		}
	}
	return found, nil
}

// mostTraced is how many successes are traced: members that a script reads are the same
// in most of them.
const mostTraced = 12

// oldReads are the members that the old code read in the recorded successes.
func (g *Gate) oldReads(ctx context.Context) (reads, error) {
	g.tracing.Lock()
	defer g.tracing.Unlock()
	if g.traced != nil {
		return g.traced, nil
	}
	all := reads{}
	for i := range min(len(g.kept), mostTraced) {
		found, err := g.trace(ctx, g.old, g.kept[i].run, &g.kept[i].outcome)
		if err != nil {
			return nil, err
		}
		for read := range found {
			all[read] = true
		}
	}
	g.traced = all
	return all, nil
}

// sameCalls says that two replays made the same calls: the tracer did not disturb the run.
func sameCalls(a, b *replayed) bool {
	return slices.EqualFunc(a.Calls, b.Calls, func(x, y sandbox.TracedCall) bool {
		return x.Tool == y.Tool && sandbox.Canonical(x.Args) == sandbox.Canonical(y.Args)
	})
}
