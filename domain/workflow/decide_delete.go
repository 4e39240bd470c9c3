package workflow

import (
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

func (s State) delete(c Delete) ([]event.Event, error) {
	switch {
	case s.Status != StatusArchived:
		return nil, s.refused("is not archived, and only what is archived can be deleted for good: archive it first (kintsugi workflow archive " + s.ID + ")")
	case len(s.Admitted) > 0:
		return nil, s.refused("has runs that are not over: wait until they are (kintsugi run list --workflow " + s.ID + ")")
	case len(s.Unfinished) > 0:
		return nil, s.refused("has runs that are half done, which nothing would finish any more: give each up first (kintsugi run leave " + slices.Min(slices.Collect(maps.Keys(s.Unfinished))) + ")")
	case s.Planner != nil && !s.Planner.Waiting:
		return nil, s.refused("has a planner at work: stop it, or wait for it")
	}
	return []event.Event{WorkflowDeleted{ID: s.ID, Owner: s.Owner, Payloads: c.Payloads, Runs: c.Runs, Threads: c.Threads, Used: c.Used}}, nil
}

// whenDeleted is what a workflow that is deleted says to a command.
func (s State) whenDeleted(c Command) ([]event.Event, error) {
	switch c.(type) {
	case Delete:
		return nil, nil
	case EndDeletion:
		if s.Erased {
			return nil, nil
		}
		return []event.Event{WorkflowErased{Owner: s.Owner, Payloads: s.Deleted.Payloads, Used: s.Deleted.Used}}, nil
	}
	return nil, conflict("workflow %s was deleted for good: nothing can be done with it any more", s.ID)
}

// deletedFollows says why a deletion cannot have happened.
func (s State) deletedFollows(e event.Event) (handled bool, err error) {
	switch e := e.(type) {
	case WorkflowDeleted:
		return true, unless(s.archived && s.Deleted == nil && e.ID == s.ID && len(s.Admitted) == 0, "the workflow %s is not archived, or has runs that are not over", s.ID)
	case WorkflowErased:
		return true, unless(s.Deleted != nil && !s.Erased && e.Payloads == s.Deleted.Payloads, "it is not being deleted")
	}
	return false, nil
}
