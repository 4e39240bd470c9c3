package lru_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
)

// The cache keeps the newest so many keys by their last use, whatever came and was forgotten in between.
func TestTheNewestAreKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(t, "most")
		newest := lru.New[int, int](most)
		var used []int // keys, the one that was used last at the end
		values := map[int]int{}
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			key := rapid.IntRange(0, 6).Draw(t, "key")
			known := slices.Contains(used, key)
			rest := slices.DeleteFunc(slices.Clone(used), func(one int) bool { return one == key })
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				newest.Delete(key)
				used = rest
			case 1, 2:
				newest.Put(key, step)
				values[key] = step
				rest = append(rest, key)
				if used = rest; len(used) > most {
					used = used[1:]
				}
			default:
				value, found := newest.Get(key)
				require.Equal(t, known, found)
				if known {
					require.Equal(t, values[key], value)
					rest = append(rest, key)
					used = rest
				}
			}
		}
	})
}
