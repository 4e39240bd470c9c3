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
			require.Equal(t, wants[i], collect(copied))
			for key, value := range wants[i] {
				got, there := copied.Get(key)
				require.True(t, there)
				require.Equal(t, value, got)
			}
			_, there := copied.Get("nobody")
			require.False(t, there)
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

func TestAllStopsWhenAsked(t *testing.T) {
	t.Parallel()
	count := 0
	for range (table.Table[int]{}).Put("a", 1).Put("b", 2).All() {
		count++
		break
	}
	require.Equal(t, 1, count)
}

func collect(t table.Table[int]) map[string]int {
	all := map[string]int{}
	for key, value := range t.All() {
		if _, twice := all[key]; twice {
			panic("key " + key + " comes twice")
		}
		all[key] = value
	}
	return all
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
