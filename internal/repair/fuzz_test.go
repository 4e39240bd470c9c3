package repair

import (
	"testing"

	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/internal/script"
)

// FuzzScripts: whatever parses can be looked at from every side without a panic.
func FuzzScripts(f *testing.F) {
	for _, s := range append(repairable, traps...) {
		f.Add(s.prepared().code)
	}
	f.Add("const { a: [b = 1, ...c], ...d } = e; label: for (;;) { break label } x?.y?.[z]?.(w); class A extends B { static #p = 1; get q() { return this.#p } }")
	f.Add("function f(a) { const b = a; const c = b; f(c); return f(a); } let x = y; let y = x;")
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 4096 {
			return
		}
		s, err := script.Parse(code)
		if err != nil {
			return
		}
		for _, node := range s.Nodes {
			if _, isProgram := node.(*ast.Program); isProgram {
				continue
			}
			start, end := s.Span(node)
			at := s.PositionOf(min(start, max(len(code)-1, 0)))
			if start < 0 || end > len(code) {
				t.Fatalf("%T: span %d to %d of %d bytes", node, start, end, len(code))
			}
			guarded(s, node)
			anyKind(s, node)
			s.Assigned(node)
			s.Statement(node)
			s.SiteOf(at, "a")
			s.BaseAt(start)
			s.CallFrom(start)
			if script.MemberObject(node) != nil {
				if from, to := s.ObjectSpan(node); from < 0 || to > len(code) || from > to {
					t.Fatalf("%T: object %d to %d", node, from, to)
				}
			}
			v := &view{source: s, failing: &trace{failure: &failure{name: "TypeError", message: "Cannot read property 'a' of undefined", frames: []script.Position{at}}}}
			patchesFor(v)
			for _, message := range []string{"a is not defined", "Object has no member 'a'", "Value is not an object: 1", "Assignment to constant variable.", "No initial value", "Class constructor cannot be invoked without 'new'"} {
				v.failing.failure.message = message
				patchesFor(v)
			}
		}
	})
}
