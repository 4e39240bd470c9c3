package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

func drawHash(t *rapid.T, label string) hashchain.Hash {
	return hashchain.Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, label))
}

func drawLeaves(t *rapid.T, least int) []hashchain.Hash {
	list := make([]hashchain.Hash, rapid.IntRange(least, 70).Draw(t, "leaves"))
	for i := range list {
		list[i] = hashLeaf([]byte{byte(i)})
	}
	return list
}

// The tree is that of RFC 6962: the roots of its reference implementation's leaves
// (certificate-transparency, merkletree, the first sizes), computed elsewhere in Python by
// the recursive definition, which splits at the largest power of two.
func TestTheTreeNeverChanges(t *testing.T) {
	t.Parallel()
	inputs := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	var list []hashchain.Hash
	for _, input := range inputs {
		content, err := hex.DecodeString(input)
		require.NoError(t, err)
		list = append(list, hashLeaf(content))
	}
	for size, want := range map[int]string{
		0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	} {
		require.Equal(t, want, rootOf(list[:size]).String(), "%d leaves", size)
	}
}

// recursive is the definition of RFC 6962, section 2.1.
func recursive(list []hashchain.Hash) hashchain.Hash {
	switch len(list) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return list[0]
	}
	split := 1
	for split*2 < len(list) {
		split *= 2
	}
	return hashNode(recursive(list[:split]), recursive(list[split:]))
}

// Every leaf has a path to the root, of the length the tree is high; and what goes up in
// levels is what the definition splits.
func TestEveryLeafLeadsToTheRoot(t *testing.T) {
	t.Parallel()
	for size := range 66 {
		var list []hashchain.Hash
		for i := range size {
			list = append(list, hashLeaf(fmt.Appendf(nil, "%d", i)))
		}
		root := rootOf(list)
		require.Equal(t, recursive(list), root)
		for i := range size {
			got, ok := climb(list[i], int64(i), int64(size), pathOf(list, i))
			require.True(t, ok)
			require.Equal(t, root, got, "leaf %d of %d", i, size)
		}
	}
}

// Rule: a leaf leads to the root only with its own content, place and path.
func TestAnyChangeMissesTheRoot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawLeaves(t, 2)
		size := int64(len(list))
		index := rapid.IntRange(0, len(list)-1).Draw(t, "index")
		leaf, path, at := list[index], pathOf(list, index), int64(index)
		switch rapid.SampledFrom([]string{"leaf", "path", "longer", "shorter", "order", "index", "outside"}).Draw(t, "change") {
		case "leaf":
			leaf[rapid.IntRange(0, 31).Draw(t, "byte")] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
		case "path":
			path[rapid.IntRange(0, len(path)-1).Draw(t, "sibling")][rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
		case "longer":
			path = append(path, drawHash(t, "sibling"))
		case "shorter":
			path = path[:len(path)-1]
		case "order":
			if len(path) < 2 {
				return
			}
			slices.Reverse(path)
		case "index":
			at = rapid.Int64Range(0, size-1).Draw(t, "other")
			if at == int64(index) {
				return
			}
		case "outside":
			at = rapid.SampledFrom([]int64{-1, size, size + 7, 1 << 62, -1 << 62}).Draw(t, "outside")
		}
		got, ok := climb(leaf, at, size, path)
		require.False(t, ok && got == rootOf(list))
	})
}

// The two hashes that a node is made of are no leaf: nobody can claim that two hashes next to each other are the
// content of a stream's head. Without the prefixes this fails at once.
func TestNoNodeIsALeaf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawLeaves(t, 2)
		var nodes [][2]hashchain.Hash // what each node of the tree is made of
		for level := list; len(level) > 1; level = parents(level) {
			for i := 0; i+1 < len(level); i += 2 {
				nodes = append(nodes, [2]hashchain.Hash{level[i], level[i+1]})
			}
		}
		for _, of := range nodes {
			content := slices.Concat(of[0][:], of[1][:])
			require.NotEqual(t, hashNode(of[0], of[1]), hashLeaf(content))
		}
		// So a shorter path to the same root is of no use.
		if len(list) >= 4 {
			content := slices.Concat(list[0][:], list[1][:])
			got, ok := climb(hashLeaf(content), 0, int64((len(list)+1)/2), pathOf(parents(list), 0))
			require.True(t, ok)
			require.NotEqual(t, rootOf(list), got)
		}
	})
}

// A head's parts cannot be shifted into each other.
func TestLeavesAreDistinct(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head := func(label string) Head {
			return Head{
				Stream:   rapid.SampledFrom([]string{"", "a", "aa", "a\x00", "run-1", "run-10"}).Draw(t, label+" stream"),
				Revision: rapid.Int64Range(0, 3).Draw(t, label+" revision"),
				Hash:     hashchain.Hash{byte(rapid.IntRange(0, 1).Draw(t, label+" hash"))},
			}
		}
		a, b := head("a"), head("b")
		require.Equal(t, a == b, a.leaf() == b.leaf())
	})
}
