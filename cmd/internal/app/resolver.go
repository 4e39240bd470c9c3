package app

import (
	"context"
	"errors"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Resolver finds what a person names: by its id, the end of it, or its title.
type Resolver struct {
	Queries *projections.Queries
	// Owner is whose workflows the person sees, with all that belongs to them; empty for everybody's. Anything else is not there for them.
	Owner string
}

// sees says that a workflow is for the person.
func (resolver *Resolver) sees(ctx context.Context, id string) (bool, error) {
	if resolver.Owner == "" {
		return true, nil
	}
	one, err := resolver.Queries.Workflow(ctx, id)
	if err == nil {
		return one.Owner == resolver.Owner, nil
	}
	gone, missing := resolver.Queries.Deleted(ctx, id)
	if missing == nil {
		return gone.Owner == resolver.Owner, nil
	}
	if fault.KindOf(err) == fault.NotFound && fault.KindOf(missing) == fault.NotFound {
		return false, nil
	}
	return false, errors.Join(err, missing)
}

// shows says that something which belongs to an owner is for the person.
func (resolver *Resolver) shows(owner string) bool {
	return resolver.Owner == "" || resolver.Owner == owner
}

// resolvable is something a person can name: by its id, by its beginning or end if no other one has
// that, or by its title if no other one is called so.
type resolvable struct {
	id, title string
	of        string // the title of the workflow that it belongs to
}

// mostNamed is how many of several that are meant are named.
const mostNamed = 5

func resolve(what, reference, list string, all []resolvable) (string, error) {
	var found []string // ids
	var shown []string // with titles
	for _, one := range all {
		if one.id == reference {
			return one.id, nil
		}
		if strings.HasPrefix(one.id, reference) || strings.HasSuffix(one.id, reference) || (one.title != "" && strings.EqualFold(one.title, reference)) {
			found = append(found, one.id)
			if of := one.title + one.of; of != "" {
				shown = append(shown, one.id+" ("+plain.Line(of)+")")
			} else {
				shown = append(shown, one.id)
			}
		}
	}
	switch {
	case reference == "" || len(found) == 0:
		return "", fault.New(fault.NotFound, "there is no %s %q: see '%s'", what, reference, list)
	case len(found) > 1:
		list := strings.Join(shown[:min(len(shown), mostNamed)], ", ")
		if len(shown) > mostNamed {
			list += " …"
		}
		return "", fault.New(fault.Invalid, "%q could be %d %ss: %s. Give more of the id", reference, len(found), what, list)
	}
	return found[0], nil
}

// Workflow is the id of the workflow that a person names.
func (resolver *Resolver) Workflow(ctx context.Context, reference string) (string, error) {
	one, missing := resolver.Queries.Workflow(ctx, reference)
	if missing == nil && resolver.shows(one.Owner) {
		return one.ID, nil // there may be very many
	}
	workflows, err := resolver.Queries.Workflows(ctx, projections.WorkflowFilter{Archived: true, Owner: resolver.Owner})
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(workflows))
	var archived []string // of this title
	for i, w := range workflows {
		all[i] = resolvable{id: w.ID, title: w.Title}
		if w.Archived {
			all[i] = resolvable{id: w.ID, of: w.Title} // it has no part in names
			if strings.EqualFold(w.Title, reference) {
				archived = append(archived, w.ID)
			}
		}
	}
	id, err := resolve("workflow", reference, "kintsugi workflow list", all)
	if len(archived) > 0 && fault.KindOf(err) == fault.NotFound {
		return "", fault.New(fault.NotFound, "no workflow is called %q but what was archived, which is named by its id: %s", reference, strings.Join(archived[:min(len(archived), mostNamed)], ", "))
	}
	if gone, deleted := resolver.Queries.Deleted(ctx, reference); fault.KindOf(err) == fault.NotFound && deleted == nil && resolver.shows(gone.Owner) {
		return "", missing
	}
	return id, err
}

// RecordedWorkflow is the id of a workflow that a person names, also of one that was deleted for good: there are records of it.
func (resolver *Resolver) RecordedWorkflow(ctx context.Context, reference string) (string, error) {
	if gone, err := resolver.Queries.Deleted(ctx, reference); err == nil && resolver.shows(gone.Owner) {
		return gone.Workflow, nil
	}
	return resolver.Workflow(ctx, reference)
}

// ArchivedWorkflow is the id of the archived workflow that a person names; its title will do.
func (resolver *Resolver) ArchivedWorkflow(ctx context.Context, reference string) (string, error) {
	archived, err := resolver.Queries.Workflows(ctx, projections.WorkflowFilter{Status: workflow.StatusArchived, Owner: resolver.Owner})
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(archived))
	for i, w := range archived {
		all[i] = resolvable{id: w.ID, title: w.Title}
	}
	if id, err := resolve("workflow", reference, "kintsugi workflow list --archived", all); err == nil || fault.KindOf(err) != fault.NotFound {
		return id, err
	}
	return resolver.Workflow(ctx, reference)
}

// Run is the id of the run that a person names.
func (resolver *Resolver) Run(ctx context.Context, reference string) (string, error) {
	if one, err := resolver.Queries.Run(ctx, reference); err == nil && resolver.shows(one.WorkflowOwner) {
		return one.ID, nil
	}
	runs, err := resolver.Queries.Runs(ctx, projections.RunFilter{Owner: resolver.Owner})
	if err != nil {
		return "", err
	}
	titles, err := projections.TitlesOf(ctx, resolver.Queries, runs, func(r projections.Run) string { return r.Workflow })
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(runs))
	for i, r := range runs {
		all[i] = resolvable{id: r.ID, of: titles[r.Workflow]}
	}
	return resolve("run", reference, "kintsugi run list", all)
}

// Fix is the id of the fix that a person names.
func (resolver *Resolver) Fix(ctx context.Context, reference string) (string, error) {
	if one, err := resolver.Queries.Fix(ctx, reference); err == nil && resolver.shows(one.WorkflowOwner) {
		return one.Proposal, nil
	}
	fixes, err := resolver.Queries.Fixes(ctx, projections.FixFilter{Owner: resolver.Owner})
	if err != nil {
		return "", err
	}
	titles, err := projections.TitlesOf(ctx, resolver.Queries, fixes, func(f projections.Fix) string { return f.Workflow })
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(fixes))
	for i, f := range fixes {
		all[i] = resolvable{id: f.Proposal, of: titles[f.Workflow]}
	}
	return resolve("fix", reference, "kintsugi fix list", all)
}

// Notification is the id of the notification that a person names, or that stands for the cause that they name.
func (resolver *Resolver) Notification(ctx context.Context, reference string) (string, error) {
	if strings.HasPrefix(reference, projections.CausePrefix) {
		return resolver.Queries.NewestOf(ctx, resolver.Owner, reference)
	}
	if one, err := resolver.Queries.Notification(ctx, reference); err == nil && resolver.shows(one.WorkflowOwner) {
		return one.ID, nil
	}
	notifications, err := resolver.Queries.Notifications(ctx, projections.NotificationFilter{Owner: resolver.Owner, Operator: resolver.Owner == ""})
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(notifications))
	for i, one := range notifications {
		all[i] = resolvable{id: one.ID, of: one.WorkflowTitle}
	}
	return resolve("notification", reference, "kintsugi notification list", all)
}

// Input is an input that waits, by the run that it becomes or that failed.
func (resolver *Resolver) Input(ctx context.Context, run string) (projections.QueuedInput, error) {
	waits, err := resolver.Queries.QueuedInput(ctx, run)
	if err != nil {
		return waits, err
	}
	seen, err := resolver.sees(ctx, waits.Workflow)
	if err == nil && !seen {
		err = projections.NoQueuedInput(run)
	}
	return waits, err
}
