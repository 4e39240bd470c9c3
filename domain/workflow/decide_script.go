package workflow

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

func (s State) saveScript(c SaveScript) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if !c.Origin.saves() {
		return nil, invalid("a save comes from the planner, a person, an agent or a program, not from %q: fixes are proposed", c.Origin)
	}
	if err := isScript(c.ScriptID, c.Code, c.Comment); err != nil {
		return nil, err
	}
	decided, err := s.keepPackages(c)
	if err != nil {
		return nil, err
	}
	if err := fits("summary", c.Summary, maxDocument); err != nil {
		return nil, err
	}
	if err := fits("diagram", c.Diagram, maxDocument); err != nil {
		return nil, err
	}
	saved := ScriptSaved{
		ScriptID: c.ScriptID, Version: s.nextMajor(), Code: c.Code, SHA256: digest(c.Code), Comment: c.Comment,
		Summary: c.Summary, Diagram: c.Diagram, Origin: c.Origin, Task: c.Task, Imported: c.Imported,
	}
	return append(append(decided, saved), s.leave(ExitReplanned, saved.Version)...), nil
}

// Person says that it is what people decided, by themselves or through a program of theirs.
func (o Origin) Person() bool { return o == OriginPerson || o == OriginProgram }

// saves says that who it is saves scripts.
func (o Origin) saves() bool {
	return o == OriginPlanner || o == OriginPerson || o == OriginAgent || o == OriginProgram
}

func (s State) rollback(c Rollback) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	restored, there := s.Script(c.To)
	if !there {
		return nil, notFound("workflow %q has no version %s", s.Title, c.To)
	}
	comment := cmp.Or(c.Comment, "Roll back to "+c.To.String())
	if err := isScript(c.ScriptID, restored.Code, comment); err != nil {
		return nil, err
	}
	saved := ScriptSaved{
		ScriptID: c.ScriptID, Version: s.nextMajor(), Code: restored.Code, SHA256: restored.SHA256, Comment: comment,
		Summary: restored.Summary, Diagram: restored.Diagram, Origin: OriginRollback, Restored: &c.To,
	}
	var decided []event.Event
	for _, run := range c.Exempt {
		exempted, err := s.exemptRun(ExemptRun{Run: run, Reason: c.ExemptReason})
		if err != nil {
			return nil, err
		}
		decided = append(decided, exempted...)
	}
	return append(append(decided, saved), s.leave(ExitRolledBack, saved.Version)...), nil
}

// nextMajor is one more than the highest major ever, rule 1. No number is used twice.
func (s State) nextMajor() Version {
	var highest int
	for _, script := range s.Versions {
		highest = max(highest, script.Version.Major)
	}
	return Version{Major: highest + 1}
}

// nextMinor is one more than the highest minor ever used in a major, rule 1: also than a withdrawn one.
func (s State) nextMinor(major int) Version {
	highest := -1
	for _, script := range s.Versions {
		if script.Version.Major == major {
			highest = max(highest, script.Version.Minor)
		}
	}
	return Version{Major: major, Minor: highest + 1}
}

// leave closes the open task, if there is one, and with it a fix that waits for a person: nobody would judge it any
// more. A fix that the gate is judging now is recorded as stale when the verdict comes in.
func (s State) leave(why string, current Version) []event.Event {
	m := s.Maintenance
	if m == nil {
		return nil
	}
	var events []event.Event
	if m.Held != nil {
		events = append(events, FixRejectedStale{Proposal: m.Held.Proposal, Base: m.Base, Current: current, Why: staleBecause(why)})
	}
	return append(events, MaintenanceExited{Task: m.Task, Why: why})
}

// isScript says what is missing for a version.
func isScript(id, code, comment string) error {
	if id == "" {
		return invalid("a script version needs an id")
	}
	if strings.TrimSpace(code) == "" {
		return invalid("the script is empty")
	}
	if err := fits("script", code, maxCode); err != nil {
		return err
	}
	return fits("comment", comment, maxText)
}

func digest(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}
