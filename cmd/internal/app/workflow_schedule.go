package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Scheduled is a workflow's schedule as commands show it.
type Scheduled struct {
	Workflow string           `json:"workflow"`
	Spec     string           `json:"spec"`
	Words    string           `json:"words" doc:"When that is, to go on after 'it runs': every weekday at 09:00"`
	Zone     string           `json:"zone"`
	Input    json.RawMessage  `json:"input,omitempty"`
	Overlap  workflow.Overlap `json:"overlap,omitempty"`
	CatchUp  workflow.CatchUp `json:"catch_up,omitempty"`
	Window   string           `json:"window,omitempty"`
	Jitter   string           `json:"jitter,omitempty"`
	Next     []time.Time      `json:"next"`
}

// ScheduledOf is a workflow's schedule with its next slots after now.
func ScheduledOf(s workflow.State, now time.Time, slots int) (Scheduled, error) {
	own := s.Schedule
	shown := Scheduled{Workflow: s.ID, Spec: own.Spec, Words: schedule.Words(own.Spec), Zone: own.Zone, Input: own.Input, Overlap: own.Overlap, CatchUp: own.CatchUp, Next: []time.Time{}}
	if own.Spec == "" {
		return shown, nil
	}
	if shown.Zone == "" {
		shown.Zone = s.Zone
	}
	shown.Window, shown.Jitter = durationText(own.Window), durationText(own.Jitter)
	zone, err := time.LoadLocation(shown.Zone)
	if err != nil {
		return shown, fmt.Errorf("the time zone %q is not known on this machine: %w", shown.Zone, err)
	}
	due, err := schedule.Parse(own.Spec, zone)
	if err != nil {
		return shown, fault.New(fault.Invalid, "%w", err)
	}
	for at, ok := due.Next(now); ok && len(shown.Next) < slots; at, ok = due.Next(at) {
		shown.Next = append(shown.Next, at)
	}
	return shown, nil
}

// NextRun is when a workflow of a list runs next by its schedule; zero if it does not. It remembers in zones what it looked up.
func NextRun(w projections.Workflow, now time.Time, zones map[string]*time.Location) time.Time {
	if w.Schedule == "" || w.Status != workflow.StatusActive && w.Status != workflow.StatusMaintenance {
		return time.Time{}
	}
	name := cmp.Or(w.SlotZone, w.Zone)
	zone, known := zones[name]
	if !known {
		var err error
		if zone, err = time.LoadLocation(name); err != nil {
			zone = nil // it is not known on this machine, which the workflow's own page says
		}
		zones[name] = zone
	}
	if zone == nil {
		return time.Time{}
	}
	due, err := schedule.Parse(w.Schedule, zone)
	if err != nil {
		return time.Time{}
	}
	at, _ := due.Next(now)
	return at
}

// Proposed is a workflow with a schedule that it does not have yet; as it is if change names none.
func Proposed(s workflow.State, change workflow.ChangeSchedule) workflow.State {
	if change.Spec != "" {
		s.Schedule = workflow.Schedule{
			Spec: change.Spec, Zone: change.Zone, Input: change.Input, Overlap: change.Overlap, CatchUp: change.CatchUp, Window: change.Window, Jitter: change.Jitter,
		}
	}
	return s
}

// CheckComes refuses a schedule that has no slot any more. The domain refuses everything else that is wrong with it.
func CheckComes(s workflow.State, change workflow.ChangeSchedule, now time.Time) error {
	s.Schedule = workflow.Schedule{Spec: change.Spec, Zone: change.Zone}
	if planned, err := ScheduledOf(s, now, 1); err == nil && len(planned.Next) == 0 {
		return fault.New(fault.Invalid, "schedule %q: that is over, so that it would never run", change.Spec)
	}
	return nil
}
