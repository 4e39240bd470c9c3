package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Output that is no terminal gets no bar.
func TestProgressElsewhere(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	require.NoError(t, err)
	var buffer bytes.Buffer
	for _, cli := range []*CLI{{Err: &buffer}, {Err: file}} {
		p := NewProgress(cli, -1, "checking")
		p.Add(1)
		p.Set(2)
		p.Done()
	}
	require.Empty(t, buffer.String())
	info, err := file.Stat()
	require.NoError(t, err)
	require.Zero(t, info.Size())
}
