//go:build unix

package coding

import (
	"io/fs"
	"os"
	"syscall"
)

// ours says that a file belongs to the user of this process.
func ours(info fs.FileInfo) bool {
	stat, is := info.Sys().(*syscall.Stat_t)
	return !is || int(stat.Uid) == os.Getuid()
}
