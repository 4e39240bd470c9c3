package readmodel_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// anything does whatever a fold may do, as an event's id says, and keeps what it has seen: views that were folded of
// other rows come out otherwise.
type anything struct{}

type item struct {
	Group  string            `col:"grouped,key"`
	Number int64             `col:"number,key"`
	Owner  string            `col:"owner"`
	Open   string            `col:"open"`
	Count  int               `col:"count"`
	Share  float64           `col:"share"`
	Done   bool              `col:"done"`
	At     time.Time         `col:"at"`
	Bytes  []byte            `col:"bytes"`
	Tags   []string          `col:"tags,json"`
	More   map[string]string `col:"more,json"`
}

type sight struct {
	ID   string `col:"id,key"`
	Seen string `col:"seen"`
}

var (
	items  = readmodel.NewTable[item]("item", readmodel.Lookup("owner", "owner"), readmodel.Lookup("open", "open", "done"), readmodel.Index("at"))
	sights = readmodel.NewTable[sight]("sight")
)

func (anything) Name() string                 { return "anything" }
func (anything) Version() int                 { return 1 }
func (anything) Tables() []readmodel.Declared { return []readmodel.Declared{items, sights} }

func (anything) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	id := uuid.MustParse(record.ID)
	random := rand.New(rand.NewPCG(uint64(id[0])<<8|uint64(id[1]), uint64(id[2])<<8|uint64(id[3])))
	group, number := fmt.Sprint("g", random.IntN(12)), random.Int64N(30)
	owner := fmt.Sprint("o", random.IntN(9))
	var seen strings.Builder
	see := func(one *item) {
		if one != nil {
			fmt.Fprintf(&seen, "%s/%d:%s%s%d,%v,%v%s%v%v;", one.Group, one.Number, one.Owner, one.Open, one.Count, one.Share, one.At, one.Bytes, one.Tags, one.More)
		}
	}
	for range 1 + random.IntN(3) {
		switch random.IntN(9) {
		case 0, 1:
			items.Insert(tx, item{
				Group: group, Number: number, Owner: owner, Open: owner, Share: 1 / float64(1+random.IntN(7)), Done: random.IntN(2) == 0,
				At: time.Unix(0, random.Int64()).In(time.FixedZone("", 3600)), Bytes: []byte(owner)[:random.IntN(2)], Tags: []string{},
			})
		case 2:
			if one := items.Edit(tx, group, number); one != nil {
				one.Count += int(tx.Next("counted"))
				one.Tags = append(one.Tags, owner)
				one.More = map[string]string{owner: group}
				one.Open = ""
			}
		case 3:
			for _, one := range items.EditWhere(tx, "owner", owner) {
				see(one)
				one.Owner = fmt.Sprint("o", random.IntN(9))
			}
		case 4:
			for _, one := range items.Where(tx, "open", owner, random.IntN(2) == 0) {
				see(one)
			}
		case 5:
			for _, one := range items.EditWhere(tx, "open", owner, true) {
				one.Open, one.Count = "", one.Count+1
			}
		case 6:
			items.Delete(tx, group, number)
		default:
			see(items.Get(tx, group, number))
		}
	}
	if seen.Len() > 0 {
		sights.Insert(tx, sight{ID: record.ID, Seen: seen.String()})
	}
	return nil
}

// everyItem is all rows, and what the folds have seen.
func everyItem(t *testing.T, store *readmodel.Store) (all []any) {
	t.Helper()
	require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) error {
		rows, err := readmodel.Select(q, items, "ORDER BY grouped, number")
		if err != nil {
			return err
		}
		seen, err := readmodel.Select(q, sights, "ORDER BY id")
		all = []any{rows, seen}
		return err
	}))
	return all
}

// Rows that were kept in memory, given up and read again, forgotten because another applied or the program was started
// anew, are the rows of views that are built at once.
func TestRowsDoNotDependOnTheCache(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			log, dir := newLog(t), t.TempDir()
			open2 := func() *readmodel.Store {
				store := open(t, dir, log, anything{})
				store.Limit(1+random.IntN(60), random.IntN(20_000))
				return store
			}
			grow(t, log, 300) // to be built, which is otherwise than to be gone on with
			stores := []*readmodel.Store{open2(), open2()}
			for range 40 {
				grow(t, log, 1+random.IntN(60))
				i := random.IntN(2)
				switch random.IntN(6) {
				case 0:
					require.NoError(t, stores[i].Close())
					stores[i] = open2()
				case 1:
					if round%3 == 0 {
						require.NoError(t, stores[i].Rebuild(t.Context()))
					}
				}
				require.NoError(t, stores[i].CatchUp(t.Context()))
			}
			require.NoError(t, stores[0].CatchUp(t.Context()))
			found := compare(t, log, dir, anything{})
			require.True(t, found.Same, "%+v", found)
			require.Greater(t, found.Rows, int64(100))
		})
	}
}

// The rows in memory are bounded, whatever there is.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	grow(t, log, 2000)
	store := open(t, t.TempDir(), log, anything{})
	store.Limit(50, 10_000)
	require.NoError(t, store.CatchUp(t.Context()))
	rows, size := store.Cached()
	require.Less(t, rows, 400)
	require.LessOrEqual(t, size, 40_000)
}
