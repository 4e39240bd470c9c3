package projections

import (
	"context"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// runLabel is that a run has a label, by the run's number: the newest runs of a label are found without a look at others.
type runLabel struct {
	Label  string `col:"label,key"` // as people write it: key=value
	Number int64  `col:"number,key"`
}

// workflowLabel is the same of a workflow.
type workflowLabel struct {
	Label  string `col:"label,key"`
	Number int64  `col:"number,key"`
}

var (
	runLabels      = readmodel.NewTable[runLabel]("run_label")
	workflowLabels = readmodel.NewTable[workflowLabel]("workflow_label")
)

// label has a workflow found by its labels as they are now.
func (w *Workflow) label(tx *readmodel.Tx, labels workflow.Labels) {
	for _, gone := range w.Labels.Texts() {
		workflowLabels.Delete(tx, gone, w.Number)
	}
	for _, one := range labels.Texts() {
		workflowLabels.Insert(tx, workflowLabel{Label: one, Number: w.Number})
	}
	w.Labels = labels
}

// labelled are conditions of having all of some labels, by the number in a table.
func labelled(chosen *conditions, of, labels string, texts []string) {
	for _, text := range texts {
		chosen.add("EXISTS (SELECT 1 FROM "+labels+" AS has WHERE has.label = ? AND has.number = "+of+".number)", text)
	}
}

// hasLabels says that labels are among those that there are.
func hasLabels(there workflow.Labels, texts []string) bool {
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		if is, has := there[key]; !has || is != value {
			return false
		}
	}
	return true
}

// errorKept is how much of the text of a failure runs are found by, in characters.
const errorKept = 1000

// errorText is what a failed run is found by.
func errorText(text string) string {
	kept := []rune(strings.ToLower(text))
	return string(kept[:min(len(kept), errorKept)])
}

// likeText escapes what means something in a pattern.
var likeText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// admittedBounds are the numbers that runs of a time are between; some is false if nothing is.
func admittedBounds(query *readmodel.Query, filter RunFilter) (bounds [2]int64, some bool, err error) {
	bounds = [2]int64{0, 1<<63 - 1}
	for i, at := range []time.Time{filter.Since, filter.Until} {
		if at.IsZero() {
			continue
		}
		statement := [2]string{
			"SELECT number FROM run WHERE admitted >= ? ORDER BY admitted, number LIMIT 1",
			"SELECT number FROM run WHERE admitted < ? ORDER BY admitted DESC, number DESC LIMIT 1",
		}[i]
		number, found, err := readmodel.First(query.Rows(statement, at), func(row readmodel.Row) (int64, error) { return row.Int64("number"), nil })
		if err != nil || !found {
			return bounds, false, err
		}
		bounds[i] = number
	}
	return bounds, bounds[0] <= bounds[1], nil
}

// found is a page of runs with a label: the numbers of those that have it are gone through by their index, and the runs looked at that have
// all the rest, until the page is full.
func (f RunFilter) found(query *readmodel.Query, bounds [2]int64, few int) (list []Run, err error) {
	for {
		var numbered conditions
		numbered.add("label = ?", f.Labels[0])
		numbered.add("number >= ?", bounds[0])
		numbered.add("number <= ?", bounds[1])
		labelled(&numbered, "run_label", "run_label", f.Labels[1:])
		statement := numbered.limit("SELECT number FROM run_label"+numbered.where()+" ORDER BY number DESC", few)
		numbers, err := readmodel.Collect(query.Rows(statement, numbered.args...), func(row readmodel.Row) (any, error) { return row.Int64("number"), nil })
		if err != nil || len(numbers) == 0 {
			return list, err
		}
		chosen := f.conditions()
		chosen.add(numberedOf(numbers), numbers...)
		more, err := readmodel.Select(query, runs, chosen.where()+" ORDER BY number DESC", chosen.args...)
		if err != nil {
			return nil, err
		}
		if list = append(list, more...); f.Limit > 0 && len(list) >= f.Limit {
			return list[:f.Limit], nil
		}
		if len(numbers) < few {
			return list, nil
		}
		bounds[1] = numbers[len(numbers)-1].(int64) - 1
	}
}

// conditions are those of a filter but for labels and time.
func (f RunFilter) conditions() conditions {
	var chosen conditions
	chosen.of("run", f.Workflow, f.Owner)
	status := f.Status
	if f.Error != "" && status == "" {
		status = RunFailed // no other has one
	}
	chosen.equal("run.status", string(status))
	if f.Major != 0 {
		chosen.add("major = ?", f.Major)
	}
	if f.Error != "" {
		chosen.add(`error LIKE ? ESCAPE '\'`, "%"+likeText.Replace(errorText(f.Error))+"%")
	}
	if f.Before != "" {
		chosen.add("number < (SELECT number FROM run WHERE id = ?)", f.Before)
	}
	return chosen
}

// Runs are the runs chosen, the newest first.
func (q *Queries) Runs(ctx context.Context, filter RunFilter) (list []Run, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		bounds, some, err := admittedBounds(query, filter)
		if err != nil || !some {
			return err
		}
		if len(filter.Labels) > 0 {
			list, err = filter.found(query, bounds, q.few)
			return err
		}
		chosen := filter.conditions()
		if !filter.Since.IsZero() {
			chosen.add("number >= ?", bounds[0])
		}
		if !filter.Until.IsZero() {
			chosen.add("number <= ?", bounds[1])
		}
		list, err = readmodel.Select(query, runs, chosen.limit(chosen.where()+" ORDER BY number DESC", filter.Limit), chosen.args...)
		return err
	})
	return append([]Run{}, list...), err
}
