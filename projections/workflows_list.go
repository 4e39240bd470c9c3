package projections

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// WorkflowOrder is the order of a list of workflows.
type WorkflowOrder string

// The orders that there are. The empty one is that in which they were created.
const (
	ByTitle   WorkflowOrder = "title"   // in upper or lower case
	ByUpdated WorkflowOrder = "updated" // those that changed last first
	ByTrouble WorkflowOrder = "trouble" // those first that need somebody most
)

// troubles are the statuses, the one first that needs somebody most.
var troubles = []workflow.Status{
	workflow.StatusEscalated, workflow.StatusHeld, workflow.StatusWaiting, workflow.StatusMaintenance,
	workflow.StatusActive, workflow.StatusPaused, workflow.StatusDraft, workflow.StatusArchived,
}

// WorkflowFilter chooses workflows; empty fields choose all.
type WorkflowFilter struct {
	Status workflow.Status
	// Archived includes archived workflows, which are left out otherwise unless Status asks for them.
	Archived bool
	// Owner is whose they are.
	Owner string
	// Contains is parts of words that are in the title or in what it is for, all of them, in upper or lower case; or what
	// the id begins with, at least four characters.
	Contains string
	// Labels are those that it has, as key=value, all of them.
	Labels []string
	// Order is the order that they are in.
	Order WorkflowOrder
	// Limit is the most workflows to return, the first; 0 for no limit.
	Limit int
	// After leaves out a workflow and those before it: it is the [WorkflowFilter.Place] of the last one of the page before.
	After string
}

// longestName is how much of a title workflows are sorted by, in characters: an entry of an index has to be small.
const longestName = 100

func nameOf(title string) string {
	name := []rune(strings.ToLower(title))
	return string(name[:min(len(name), longestName)])
}

// Place says where a workflow is in the list. It stays true when the workflow goes elsewhere, which it may while
// somebody looks at a page of it.
func (f WorkflowFilter) Place(w Workflow) string {
	switch f.Order {
	case ByUpdated:
		return strconv.FormatInt(w.Moment, 10) + placeMark + w.ID
	case ByTrouble:
		return string(w.Status) + placeMark + w.ID
	}
	return w.ID
}

// placeMark separates what a place is sorted by from the id.
const placeMark = "~"

// Titled are the workflows of a title, in upper or lower case, without archived ones; of an owner if one is given.
func (q *Queries) Titled(ctx context.Context, title, owner string) (list []Workflow, err error) {
	var chosen conditions
	chosen.equal("owner", owner)
	chosen.add("archived = ?", false)
	chosen.add("name = ?", nameOf(title))
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		list, err = readmodel.Select(query, workflows, chosen.where()+" ORDER BY number", chosen.args...)
		return err
	})
	return slices.DeleteFunc(list, func(one Workflow) bool { return !strings.EqualFold(one.Title, title) }), err
}

// Workflows are the workflows chosen, in the order asked for.
func (q *Queries) Workflows(ctx context.Context, filter WorkflowFilter) (list []Workflow, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		at, err := filter.place(query)
		switch {
		case err != nil:
		case len(partsOf(filter.Contains)) > 0:
			list, err = filter.search(query, at, q.few)
		default:
			list, err = filter.together(at, func(of part) ([]Workflow, error) {
				rest, args := filter.page(of, filter.Limit)
				return readmodel.Select(query, workflows, rest, args...)
			})
		}
		return err
	})
	return list, err
}

// place is what the list is sorted by of the last workflow of the page before, nil if this is the first page.
func (f WorkflowFilter) place(query *readmodel.Query) (*Workflow, error) {
	if f.After == "" {
		return nil, nil
	}
	by, id, marked := strings.Cut(f.After, placeMark)
	if !marked {
		id = by
	}
	at, there, err := readmodel.First(query.Rows("SELECT number, name, moment FROM workflow WHERE id = ?", id), scanPlace)
	switch f.Order {
	case ByUpdated:
		moment, wrong := strconv.ParseInt(by, 10, 64)
		at.Moment, there = moment, there && wrong == nil
	case ByTrouble:
		at.Status = workflow.Status(by)
		there = there && slices.Contains(troubles, at.Status)
	}
	if err == nil && !there {
		err = fault.New(fault.Invalid, "%q is no place in a list in this order: take the next of the page before", f.After)
	}
	return &at, err
}

// part is a part of a list that has an index: the workflows with a value, behind a place if there is one.
type part struct {
	column string
	value  any
	after  *Workflow
}

// parts are what a list is put together of.
func (f WorkflowFilter) parts(at *Workflow) (all []part) {
	switch {
	case f.Order == ByTrouble:
		for _, status := range troubles {
			if f.chooses(Workflow{Status: status, Archived: status == workflow.StatusArchived, Owner: f.Owner}) {
				all = append(all, part{column: "status", value: status})
			}
		}
		if at != nil {
			all = slices.DeleteFunc(all, func(one part) bool {
				return slices.Index(troubles, one.value.(workflow.Status)) < slices.Index(troubles, at.Status)
			})
			for i := range all {
				if all[i].value == at.Status {
					all[i].after = at
				}
			}
		}
	case f.Status != "":
		all = []part{{"status", f.Status, at}}
	case f.Archived:
		all = []part{{"archived", false, at}, {"archived", true, at}}
	default:
		all = []part{{"archived", false, at}}
	}
	return all
}

// page is how at most so many of a part are asked for, 0 for all.
func (f WorkflowFilter) page(of part, most int) (rest string, args []any) {
	order, behind, place := " ORDER BY number", "number > ?", []any{}
	if of.after != nil {
		place = []any{of.after.Number}
	}
	switch f.Order {
	case ByTitle:
		order, behind = " ORDER BY name, number", "(name, number) > (?, ?)"
		if of.after != nil {
			place = []any{of.after.Name, of.after.Number}
		}
	case ByUpdated:
		order, behind = " ORDER BY moment DESC, number DESC", "(moment, number) < (?, ?)"
		if of.after != nil {
			place = []any{of.after.Moment, of.after.Number}
		}
	}
	var chosen conditions
	chosen.equal("owner", f.Owner)
	chosen.add(of.column+" = ?", of.value)
	labelled(&chosen, "workflow", "workflow_label", f.Labels)
	if of.after != nil {
		chosen.add(behind, place...)
	}
	rest = chosen.limit(chosen.where()+order, most)
	return rest, chosen.args
}

// together is a page of a list, of what read gives of each of its parts.
func (f WorkflowFilter) together(at *Workflow, read func(part) ([]Workflow, error)) (list []Workflow, err error) {
	for _, of := range f.parts(at) {
		more, err := read(of)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		if f.Order == ByTrouble && f.Limit > 0 && len(list) >= f.Limit {
			break // the others come behind these
		}
	}
	return f.sorted(list), nil
}

// chooses says whether a workflow is in the list, whatever is searched for.
func (f WorkflowFilter) chooses(w Workflow) bool {
	return (f.Owner == "" || w.Owner == f.Owner) && (f.Status == "" && (f.Archived || !w.Archived) || w.Status == f.Status)
}

func (f WorkflowFilter) compare(a, b Workflow) int {
	switch f.Order {
	case ByTitle:
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	case ByUpdated:
		return cmp.Or(cmp.Compare(b.Moment, a.Moment), cmp.Compare(b.Number, a.Number))
	case ByTrouble:
		return cmp.Or(cmp.Compare(slices.Index(troubles, a.Status), slices.Index(troubles, b.Status)), cmp.Compare(a.Number, b.Number))
	}
	return cmp.Compare(a.Number, b.Number)
}

// sorted is the page that begins a list.
func (f WorkflowFilter) sorted(list []Workflow) []Workflow {
	slices.SortFunc(list, f.compare)
	if f.Limit > 0 && len(list) > f.Limit {
		list = list[:f.Limit]
	}
	return append([]Workflow{}, list...)
}
