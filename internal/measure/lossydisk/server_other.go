//go:build !linux

package lossydisk

// Child does nothing: only Linux has the disk.
func Child() {}

// Mounted is a disk that is mounted.
type Mounted struct{}

// Mount returns [ErrNoFUSE].
func Mount(string) (*Mounted, error) { return nil, ErrNoFUSE }

// Cut returns [ErrNoFUSE].
func (*Mounted) Cut(Loss) error { return ErrNoFUSE }

// Close returns [ErrNoFUSE].
func (*Mounted) Close() error { return ErrNoFUSE }
