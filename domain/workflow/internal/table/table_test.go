package table_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/workflow/internal/table"
)

// A table is a map, and every earlier copy of it stays what it was.
func TestTableIsAMapThatIsAValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var now table.Table[int]
		want := map[string]int{}
		var copies []table.Table[int]
		var wants []map[string]int
		for i := range rapid.IntRange(0, 400).Draw(t, "puts") {
			key := fmt.Sprint(rapid.IntRange(0, 300).Draw(t, "key"))
			if i%50 == 0 {
				copies, wants = append(copies, now), append(wants, maps.Clone(want))
			}
			now = now.Put(key, i)
			want[key] = i
		}
		copies, wants = append(copies, now), append(wants, want)
		for i, copied := range copies {
			for key, value := range wants[i] {
				got, there := copied.Get(key)
				require.True(t, there)
				require.Equal(t, value, got)
			}
			for n := range 301 {
				key := fmt.Sprint(n)
				_, wanted := wants[i][key]
				_, there := copied.Get(key)
				require.Equal(t, wanted, there)
			}
		}
	})
}

// Two futures of one table do not see each other.
func TestTableBranches(t *testing.T) {
	t.Parallel()
	var trunk table.Table[int]
	for i := range 100 {
		trunk = trunk.Put(fmt.Sprint(i), i)
	}
	left, right := trunk.Put("x", 1), trunk.Put("x", 2)
	a, _ := left.Get("x")
	b, _ := right.Get("x")
	require.Equal(t, []int{1, 2}, []int{a, b})
	_, there := trunk.Get("x")
	require.False(t, there)
}

func BenchmarkPut(b *testing.B) {
	var t table.Table[int]
	keys := make([]string, 1<<16)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	i := 0
	for b.Loop() {
		t = t.Put(keys[i%len(keys)], i)
		i++
	}
}
