package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dop251/goja/ast"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script"
	"github.com/kintsugi-run/kintsugi/projections"
)

// VersionProof is why a fix became a version: what the gate found, and who applied it.
type VersionProof struct {
	Proposal  string               `json:"proposal"`
	State     projections.FixState `json:"state"`
	Fixer     workflow.Fixer       `json:"fixer"`
	Run       string               `json:"run"` // the failed one
	Verdict   workflow.Verdict     `json:"verdict,omitempty"`
	Replayed  int                  `json:"replayed"`
	Identical int                  `json:"identical"`
	Excluded  int                  `json:"excluded"`
	Reasons   []string             `json:"reasons,omitempty"` // that a person answered
	DecidedBy string               `json:"decided_by"`
}

// Sentence is the proof in one line.
func (p VersionProof) Sentence() string {
	text := fmt.Sprintf("%s on %d of %d recorded runs", p.Verdict, p.Identical, p.Replayed)
	if p.Excluded > 0 {
		text += fmt.Sprintf(", %d left out", p.Excluded)
	}
	if len(p.Reasons) > 0 {
		text += "; accepted by a person although " + strings.Join(p.Reasons, "; ")
	}
	return text + " (" + string(p.State) + ")"
}

// Version is a saved script with the proof that it has, if it is a fix.
type Version struct {
	projections.Script
	Proof *VersionProof `json:"proof,omitempty"`
}

// Versions are all versions of a workflow's script, oldest first.
func (s *Scripts) Versions(ctx context.Context, id string) ([]Version, error) {
	scripts, err := s.Queries.Scripts(ctx, id)
	if err != nil {
		return nil, err
	}
	versions := make([]Version, len(scripts))
	for i, one := range scripts {
		if versions[i], err = s.proved(ctx, one); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

func (s *Scripts) proved(ctx context.Context, of projections.Script) (Version, error) {
	if of.Proposal == "" {
		return Version{Script: of}, nil
	}
	fix, err := s.Queries.Fix(ctx, of.Proposal)
	if err != nil {
		return Version{}, err
	}
	proof := &VersionProof{Proposal: fix.Proposal, State: fix.State, Fixer: fix.Fixer, Run: fix.Run, Reasons: fix.Reasons, DecidedBy: fix.DecidedBy}
	if v := fix.Verification; v != nil {
		proof.Verdict, proof.Replayed, proof.Identical, proof.Excluded = v.Verdict, v.Replayed, v.Identical, v.Excluded
	}
	return Version{Script: of, Proof: proof}, nil
}

// Comparison is what is different in a version.
type Comparison struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	Comment string    `json:"comment"` // of To
	Before  Version   `json:"before"`
	After   Version   `json:"after"`
	Summary []string  `json:"summary"` // in words
	Diff    string    `json:"diff"`    // unified; empty if the code is the same
	Sides   []SideRow `json:"sides"`   // the whole of both, side by side
}

// SideRow is a line of both versions, beside each other. A number is 0 where a side has no line.
type SideRow struct {
	Same   bool   `json:"same,omitempty"`
	Line   int    `json:"line,omitempty"`
	Before string `json:"before,omitempty"`
	To     int    `json:"to_line,omitempty"`
	After  string `json:"after,omitempty"`
}

// Compare compares two versions.
func (s *Scripts) Compare(ctx context.Context, from, to projections.Script) (Comparison, error) {
	before, err := s.proved(ctx, from)
	if err != nil {
		return Comparison{}, err
	}
	after, err := s.proved(ctx, to)
	if err != nil {
		return Comparison{}, err
	}
	sides, err := SideBySide(from.Code, to.Code)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{
		From: from.Version, To: to.Version, Comment: to.Comment, Before: before, After: after,
		Summary: ChangeInWords(from.Code, to.Code), Diff: udiff.Unified(from.Version, to.Version, from.Code, to.Code), Sides: sides,
	}, nil
}

// SideBySide puts the lines of two texts beside each other: what was taken out beside what came in its place.
func SideBySide(before, after string) ([]SideRow, error) {
	edits := udiff.Lines(before, after)
	if len(edits) == 0 {
		edits = []udiff.Edit{{}} // else there is no hunk with what is the same
	}
	all := strings.Count(before, "\n") + strings.Count(after, "\n") + 2
	unified, err := udiff.ToUnifiedDiff("", "", before, edits, all)
	if err != nil {
		return nil, fmt.Errorf("compare scripts: %w", err)
	}
	rows := []SideRow{}
	line, to := 0, 0
	free := 0 // the first row of a change that has nothing on the right
	for _, hunk := range unified.Hunks {
		for _, one := range hunk.Lines {
			text := strings.TrimSuffix(one.Content, "\n")
			switch one.Kind {
			case udiff.Delete:
				line++
				rows = append(rows, SideRow{Line: line, Before: text})
			case udiff.Insert:
				to++
				if free < len(rows) {
					rows[free].To, rows[free].After = to, text
				} else {
					rows = append(rows, SideRow{To: to, After: text})
				}
				free++
			default:
				line, to = line+1, to+1
				rows = append(rows, SideRow{Same: true, Line: line, Before: text, To: to, After: text})
				free = len(rows)
			}
		}
	}
	return rows, nil
}

// ChangeInWords says what is different in a script: lines, functions, and what it reaches.
func ChangeInWords(before, after string) []string {
	added, removed := 0, 0
	if rows, err := SideBySide(before, after); err == nil {
		for _, row := range rows {
			if !row.Same {
				added, removed = added+min(row.To, 1), removed+min(row.Line, 1)
			}
		}
	}
	if added+removed == 0 {
		return []string{"the code is the same"}
	}
	words := []string{fmt.Sprintf("%s added, %s removed", lines(added), lines(removed))}
	then, errThen := facetsOf(before)
	now, errNow := facetsOf(after)
	if errThen != nil || errNow != nil {
		return words // what cannot be parsed never ran; its lines are all there is to say
	}
	words = append(words, changed("function", then.functions, now.functions)...)
	for i, one := range now.lists {
		gained := without(one.names, then.lists[i].names)
		lost := without(then.lists[i].names, one.names)
		if len(gained) > 0 {
			words = append(words, "new "+one.what+": "+strings.Join(gained, ", "))
		}
		if len(lost) > 0 {
			words = append(words, one.what+" no more: "+strings.Join(lost, ", "))
		}
	}
	return words
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// facets are what a summary compares of a script.
type facets struct {
	functions map[string]string // name → text
	lists     []facet
}

type facet struct {
	what  string
	names []string
}

func facetsOf(code string) (facets, error) {
	source, err := script.Parse(code)
	if err != nil {
		return facets{}, err
	}
	account, err := gate.NewAccount(code)
	if err != nil {
		return facets{}, err
	}
	of := facets{functions: map[string]string{}}
	tools := map[string]bool{}
	for _, node := range source.Nodes {
		switch n := node.(type) {
		case *ast.FunctionLiteral:
			name := source.VariableName(node)
			if n.Name != nil {
				name = n.Name.Name.String()
			}
			of.functions[name] += source.Text(node)
		case *ast.ArrowFunctionLiteral:
			of.functions[source.VariableName(node)] += source.Text(node)
		case *ast.CallExpression:
			if source.CallsHost(node) {
				tools[script.Callee(n)] = true
			}
		}
	}
	delete(of.functions, "") // a callback is part of the function around it
	of.lists = []facet{
		{"host calls", slices.Sorted(maps.Keys(tools))},
		{"hosts", account.Hosts},
		{"writes", account.Writes},
		{"secrets", account.Secrets},
	}
	return of, nil
}

// changed says which named texts are other, new or gone.
func changed(what string, before, after map[string]string) []string {
	var other, gained, lost []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if text, there := before[name]; !there {
			gained = append(gained, name)
		} else if text != after[name] {
			other = append(other, name)
		}
	}
	lost = without(slices.Sorted(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	var words []string
	for _, one := range []struct {
		is    string
		names []string
	}{{"changed", other}, {"new", gained}, {"gone", lost}} {
		if len(one.names) > 0 {
			words = append(words, fmt.Sprintf("%s %s: %s", what, one.is, strings.Join(one.names, ", ")))
		}
	}
	return words
}

func without(names, gone []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(gone, name) })
}

// RollbackImpact is what a rollback would come to.
type RollbackImpact struct {
	Comparison
	Becomes string   `json:"becomes"` // the version that would be saved
	Follows []string `json:"follows"` // what else would happen, in words
}

// RollbackImpact asks what would be decided now, and decides nothing.
func (s *Scripts) RollbackImpact(ctx context.Context, id string, to workflow.Version) (RollbackImpact, projections.Script, error) {
	impact := RollbackImpact{Follows: []string{}}
	state, err := s.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return impact, projections.Script{}, err
	}
	events, err := workflow.Decide(state, workflow.Rollback{To: to, ScriptID: "preview"}, s.Now())
	if err != nil {
		return impact, projections.Script{}, err
	}
	after := state
	for _, happens := range events {
		after = workflow.Evolve(after, happens)
		if _, saved := happens.(workflow.ScriptSaved); !saved {
			impact.Follows = append(impact.Follows, strings.TrimSuffix(happens.EventType()+": "+plain.Line(projections.Line(happens, s.Now().Location())), ": "))
		}
	}
	impact.Becomes = after.Active.String()
	if gone := len(state.Retries) - len(after.Retries); gone > 0 {
		impact.Follows = append(impact.Follows, fmt.Sprintf("%d failed runs that wait for their retry are not tried again by themselves", gone))
	}
	if state.Continuation != nil && after.Continuation == nil {
		impact.Follows = append(impact.Follows, "run "+state.Continuation.Run+" does not go on with the fix by itself")
	}
	if after.Status != state.Status {
		impact.Follows = append(impact.Follows, fmt.Sprintf("the status becomes %s", after.Status))
	}
	active, err := s.Queries.ActiveScript(ctx, id)
	if err != nil {
		return impact, active, err
	}
	target, err := s.Queries.Script(ctx, id, to)
	if err != nil {
		return impact, target, err
	}
	impact.Comparison, err = s.Compare(ctx, active, target)
	return impact, target, err
}
