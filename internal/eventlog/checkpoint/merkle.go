package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// A leaf and a node never have the same preimage: else what a node is made of could be passed
// off as a leaf (RFC 6962, section 2.1).
const (
	leafPrefix = 0x00
	nodePrefix = 0x01
)

func hashLeaf(content []byte) hashchain.Hash {
	return sha256.Sum256(append([]byte{leafPrefix}, content...))
}

func hashNode(left, right hashchain.Hash) hashchain.Hash {
	content := append([]byte{nodePrefix}, left[:]...)
	return sha256.Sum256(append(content, right[:]...))
}

// leaf is the hash of a head in the tree.
func (h Head) leaf() hashchain.Hash {
	content := binary.BigEndian.AppendUint64(nil, uint64(len(h.Stream)))
	content = append(content, h.Stream...)
	content = binary.BigEndian.AppendUint64(content, uint64(h.Revision))
	return hashLeaf(append(content, h.Hash[:]...))
}

func leaves(heads []Head) []hashchain.Hash {
	hashes := make([]hashchain.Hash, len(heads))
	for i, head := range heads {
		hashes[i] = head.leaf()
	}
	return hashes
}

// rootOf is the root of a tree over leaves.
func rootOf(level []hashchain.Hash) hashchain.Hash {
	if len(level) == 0 {
		return sha256.Sum256(nil)
	}
	for len(level) > 1 {
		level = parents(level)
	}
	return level[0]
}

// pathOf is the way from a leaf to the root: the siblings of the nodes on it, the lowest first.
func pathOf(level []hashchain.Hash, index int) []hashchain.Hash {
	var path []hashchain.Hash
	for len(level) > 1 {
		if sibling := index ^ 1; sibling < len(level) {
			path = append(path, level[sibling])
		}
		level = parents(level)
		index /= 2
	}
	return path
}

func parents(level []hashchain.Hash) []hashchain.Hash {
	up := make([]hashchain.Hash, 0, (len(level)+1)/2)
	for i := 0; i+1 < len(level); i += 2 {
		up = append(up, hashNode(level[i], level[i+1]))
	}
	if len(level)%2 == 1 {
		up = append(up, level[len(level)-1])
	}
	return up
}

// climb goes from a leaf at an index, of so many, along a path to the root. The path must be
// exactly as long as the tree is high there.
func climb(leaf hashchain.Hash, index, size int64, path []hashchain.Hash) (root hashchain.Hash, ok bool) {
	if index < 0 || index >= size {
		return hashchain.Hash{}, false
	}
	root = leaf
	for ; size > 1; index, size = index/2, (size+1)/2 {
		if index^1 >= size {
			continue // no sibling
		}
		if len(path) == 0 {
			return hashchain.Hash{}, false
		}
		if index%2 == 0 {
			root = hashNode(root, path[0])
		} else {
			root = hashNode(path[0], root)
		}
		path = path[1:]
	}
	return root, len(path) == 0
}
