package lossydisk

import (
	"errors"
	"os"
)

// ErrNoFUSE is wrapped where the system does not let us have a file system of our own.
var ErrNoFUSE = errors.New("lossydisk: no FUSE to be had, without which power cuts cannot be tested: it needs Linux, /dev/fuse, and root or fusermount3 (tools/need-fuse.sh installs it); KINTSUGI_NO_FUSE=1 leaves these tests out, except where CI is set")

// Excused reports whether a test that gets [ErrNoFUSE] may pass, saying loudly that it tested nothing.
func Excused() bool {
	return os.Getenv("KINTSUGI_NO_FUSE") == "1" && os.Getenv("CI") == ""
}
