package projections

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// A workflow is found by parts of the words of its title and of what it is for. Each gram, which is one to three
// characters that follow one another in a word, has the set of the workflows that have it: who has all grams of a part
// is looked at, and no other. A workflow has a number in these sets, and so many of them are in a row:
const gramBlock = 1024

// workflowGram is the workflows of a block that have a gram in one of their words.
type workflowGram struct {
	Gram    string `col:"gram,key"`
	Block   int    `col:"block,key"`
	Members []byte `col:"members"` // a bit for each, up to the last that has it
}

var workflowGrams = readmodel.NewTable[workflowGram]("workflow_gram")

const longestGram = 3

// partsOf are the words of a text, or of what is searched for. Characters that no engine keeps in a text are between words.
func partsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == 0 || r == utf8.RuneError })
}

// gramsOf are the grams of all words of a text.
func gramsOf(text string) map[string]bool {
	grams := map[string]bool{}
	for _, word := range partsOf(text) {
		for from := range word {
			to := from
			for range longestGram {
				_, size := utf8.DecodeRuneInString(word[to:])
				to += size
				grams[word[from:to]] = true
				if to == len(word) {
					break
				}
			}
		}
	}
	return grams
}

// find has a workflow found by other words than before.
func (w *Workflow) find(tx *readmodel.Tx, before string) {
	block, bit := int(w.Number/gramBlock), int(w.Number%gramBlock)
	had, has := gramsOf(before), gramsOf(w.Words)
	for gram := range had {
		if has[gram] {
			continue
		}
		of := workflowGrams.Edit(tx, gram, block)
		of.Members = slices.Clone(of.Members)
		of.Members[bit/8] &^= 1 << (bit % 8)
		for len(of.Members) > 0 && of.Members[len(of.Members)-1] == 0 {
			of.Members = of.Members[:len(of.Members)-1]
		}
		if len(of.Members) == 0 {
			workflowGrams.Delete(tx, gram, block)
		}
	}
	for gram := range has {
		if had[gram] {
			continue
		}
		of := workflowGrams.Edit(tx, gram, block)
		if of == nil {
			workflowGrams.Insert(tx, workflowGram{Gram: gram, Block: block})
			of = workflowGrams.Edit(tx, gram, block)
		}
		members := make([]byte, max(len(of.Members), bit/8+1))
		copy(members, of.Members)
		members[bit/8] |= 1 << (bit % 8)
		of.Members = members
	}
}

// numbers is a set of numbers of workflows, by their block.
type numbers map[int][]byte

func (n numbers) has(number int64) bool {
	members, bit := n[int(number/gramBlock)], int(number%gramBlock)
	return bit/8 < len(members) && members[bit/8]&(1<<(bit%8)) != 0
}

func (n numbers) add(number int64) {
	block, bit := int(number/gramBlock), int(number%gramBlock)
	members := make([]byte, gramBlock/8)
	copy(members, n[block])
	members[bit/8] |= 1 << (bit % 8)
	n[block] = members
}

func (n numbers) count() (all int) {
	for _, members := range n {
		for _, eight := range members {
			all += bits.OnesCount8(eight)
		}
	}
	return all
}

func (n numbers) all() (all []any) {
	for block, members := range n {
		for i, eight := range members {
			for ; eight != 0; eight &= eight - 1 {
				all = append(all, int64(block)*gramBlock+int64(i*8+bits.TrailingZeros8(eight)))
			}
		}
	}
	return all
}

// Most grams that a search asks for: more grams leave out little more, and the words themselves are looked at in the end.
const (
	gramsOfPart = 4
	gramsAsked  = 12
	idsAsked    = 500
	shortestID  = 4
)

// gramsAskedFor are some grams that whoever has the parts has.
func gramsAskedFor(parts []string) (grams []string) {
	for _, part := range parts {
		letters := []rune(part)
		if len(letters) <= longestGram {
			grams = append(grams, part)
			continue
		}
		last := len(letters) - longestGram
		some := min(last+1, gramsOfPart)
		for n := range some { // all over the part
			from := n * last / max(some-1, 1)
			grams = append(grams, string(letters[from:from+longestGram]))
		}
	}
	return grams[:min(len(grams), gramsAsked)]
}

// candidates are the numbers of the workflows that may be what is searched for: no other is.
func candidates(query *readmodel.Query, contains string) (numbers, error) {
	var all numbers
	for _, gram := range gramsAskedFor(partsOf(strings.ToLower(contains))) {
		of, err := readmodel.Select(query, workflowGrams, "WHERE gram = ?", gram)
		if err != nil {
			return nil, err
		}
		both := numbers{}
		for _, one := range of {
			with, is := all[one.Block]
			switch {
			case all == nil:
				both[one.Block] = one.Members
			case is:
				members := slices.Clone(one.Members[:min(len(one.Members), len(with))])
				for i := range members {
					members[i] &= with[i]
				}
				both[one.Block] = members
			}
		}
		if all = both; len(all) == 0 {
			break
		}
	}
	if id := strings.TrimSpace(contains); len(id) >= shortestID {
		of, err := readmodel.Collect(query.Rows("SELECT number FROM workflow WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", id, id+string(unicode.MaxRune), idsAsked),
			func(row readmodel.Row) (int64, error) { return row.Int64("number"), nil })
		if err != nil {
			return nil, err
		}
		for _, number := range of {
			all.add(number)
		}
	}
	return all, nil
}

// searched says whether a workflow is what is searched for.
func (f WorkflowFilter) searched(w Workflow) bool {
	missing := func(part string) bool { return !strings.Contains(w.Words, part) }
	id := strings.TrimSpace(f.Contains)
	if !hasLabels(w.Labels, f.Labels) {
		return false
	}
	return !slices.ContainsFunc(partsOf(strings.ToLower(f.Contains)), missing) || len(id) >= shortestID && strings.HasPrefix(w.ID, id)
}

// search is a page of a list of what is searched for, behind a place. If it can be but few, all of them are read and sorted;
// else the list is gone through by its index, looking only at who is a candidate, until the page is full.
func (f WorkflowFilter) search(query *readmodel.Query, at *Workflow, few int) ([]Workflow, error) {
	among, err := candidates(query, f.Contains)
	if err != nil {
		return nil, err
	}
	if among.count() > few {
		return f.together(at, func(of part) ([]Workflow, error) { return f.walk(query, of, among, few) })
	}
	places, err := f.places(query, at, among.all())
	if err != nil {
		return nil, err
	}
	list, err := f.found(query, places, few)
	return f.sorted(list), err
}

// places are those of the workflows with some numbers that may be on the page, in the order of the list, with no more of
// each than says that: to read all of a workflow takes several times as long.
func (f WorkflowFilter) places(query *readmodel.Query, at *Workflow, numbers []any) ([]Workflow, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	all, err := readmodel.Collect(query.Rows("SELECT number, name, moment, owner, status, archived FROM workflow WHERE "+numberedOf(numbers), numbers...),
		func(row readmodel.Row) (Workflow, error) {
			one, err := scanPlace(row)
			one.Owner, one.Status, one.Archived = row.Text("owner"), workflow.Status(row.Text("status")), row.Bool("archived")
			return one, err
		})
	slices.SortFunc(all, f.compare)
	return slices.DeleteFunc(all, func(one Workflow) bool { return !f.chooses(one) || at != nil && f.compare(one, *at) <= 0 }), err
}

// found are those at some places that are what is searched for, until the page is full.
func (f WorkflowFilter) found(query *readmodel.Query, places []Workflow, few int) (list []Workflow, err error) {
	for some := range slices.Chunk(places, cmp.Or(min(f.Limit, few), few)) {
		numbers := make([]any, len(some))
		for i, one := range some {
			numbers[i] = one.Number
		}
		all, err := readmodel.Select(query, workflows, "WHERE "+numberedOf(numbers), numbers...)
		if err != nil {
			return nil, err
		}
		list = append(list, slices.DeleteFunc(all, func(one Workflow) bool { return !f.searched(one) })...)
		if f.Limit > 0 && len(list) >= f.Limit {
			break
		}
	}
	return list, nil
}

// walk is those of a part of a list that are searched for.
func (f WorkflowFilter) walk(query *readmodel.Query, of part, among numbers, few int) (list []Workflow, err error) {
	for most := max(few/2, 1); ; most = min(2*most, 8*few) {
		rest, args := f.page(of, most)
		places, err := readmodel.Collect(query.Rows("SELECT number, name, moment FROM workflow"+rest, args...), scanPlace)
		if err != nil {
			return nil, err
		}
		here := slices.DeleteFunc(slices.Clone(places), func(one Workflow) bool { return !among.has(one.Number) })
		more, err := f.found(query, here, few)
		if list = append(list, more...); err != nil || f.Limit > 0 && len(list) >= f.Limit {
			return list, err
		}
		if len(places) < most {
			return list, nil
		}
		of.after = &places[len(places)-1]
	}
}

func scanPlace(row readmodel.Row) (Workflow, error) {
	return Workflow{Number: row.Int64("number"), Name: row.Text("name"), Moment: row.Int64("moment")}, nil
}

// numberedOf is the condition of having one of some numbers.
func numberedOf(numbers []any) string {
	return "number IN (?" + strings.Repeat(", ?", len(numbers)-1) + ")"
}
