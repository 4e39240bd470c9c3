package projections_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// A workflow is found by parts of words of its title and of what it is for, in any order and in upper or lower case, or by
// the beginning of its id; not any more by words that it does not have any more.
func TestWorkflowsAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "Über 100% of Orders")
	w.create("b-long-id", "Refunds")
	w.did(w.commands.ChangeIntent(t.Context(), "b-long-id", workflow.ChangeIntent{Title: "Returns", Intent: "Tell of ÜBERFÄLLIGE ones\x00at once 日本語"}, ann))
	w.catchUp()
	for text, want := range map[string][]string{
		"über": {"a", "b-long-id"}, "ORDERS": {"a"}, "überfällig": {"b-long-id"}, "0%": {"a"}, "ders 100": {"a"}, "o": {"a", "b-long-id"}, "or": {"a"},
		"%": {"a"}, "_": nil, `\`: nil, "orders returns": nil, "refund": nil, "return": {"b-long-id"}, "b-lo": {"b-long-id"}, "b-l": nil, "-long-id": nil,
		"日本": {"b-long-id"}, "本": {"b-long-id"}, "語日": nil, "  ": {"a", "b-long-id"}, "ones at": {"b-long-id"}, "onesat": nil,
	} {
		list, err := w.queries.Workflows(t.Context(), projections.WorkflowFilter{Contains: text})
		require.NoError(t, err)
		require.Equal(t, want, idsOf(list), text)
	}
}

func idsOf(list []projections.Workflow) (ids []string) {
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

// A search finds the entries of the whole list that have all parts in their words, in the order of the list and on as many pages
// as it takes, whether few may have them or many.
func TestSearchesAgreeWithTheWholeList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	word := func() string {
		letters := make([]rune, 1+chance.IntN(5))
		for i := range letters {
			letters[i] = []rune("abcé")[chance.IntN(4)]
		}
		return string(letters)
	}
	ctx := t.Context()
	for n := range 60 {
		id := fmt.Sprintf("w%02d", n)
		w.did(w.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: word() + " " + word(), Owner: []string{"ann", "ben"}[n%2]}, ann))
		switch chance.IntN(4) {
		case 0:
			w.did(w.commands.ArchiveWorkflow(ctx, id, workflow.Archive{}, ann))
		case 1:
			w.did(w.commands.ChangeIntent(ctx, id, workflow.ChangeIntent{Title: word(), Intent: word()}, ann))
		}
	}
	w.catchUp()
	for range 150 {
		filter := projections.WorkflowFilter{
			Archived: chance.IntN(2) == 0, Owner: []string{"", "", "ann"}[chance.IntN(3)], Status: []workflow.Status{"", "", workflow.StatusDraft}[chance.IntN(3)],
			Order: []projections.WorkflowOrder{"", projections.ByTitle, projections.ByUpdated, projections.ByTrouble}[chance.IntN(4)],
		}
		whole, err := w.queries.Workflows(ctx, filter)
		require.NoError(t, err)
		parts := []string{word(), word()}[:1+chance.IntN(2)]
		want := idsOf(slices.DeleteFunc(whole, func(one projections.Workflow) bool {
			return slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(strings.ToLower(one.Title+"\n"+one.Intent), part) })
		}))
		filter.Contains, filter.Limit = strings.ToUpper(strings.Join(parts, " ")), 1+chance.IntN(6)
		w.queries.Few(1 + chance.IntN(20))
		asked, found := filter, []string(nil)
		for {
			list, err := w.queries.Workflows(ctx, asked)
			require.NoError(t, err)
			found = append(found, idsOf(list)...)
			if len(list) < asked.Limit {
				break
			}
			asked.After = asked.Place(list[len(list)-1])
		}
		require.Equal(t, want, found, "%+v", filter)
	}
}
