package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is no terminal gets no bar.
func TestProgressElsewhere(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	require.NoError(t, err)
	var buffer bytes.Buffer
	for _, a := range []*app{{err: &buffer}, {err: file}} {
		p := newProgress(a, -1, "checking")
		p.add(1)
		p.set(2)
		p.done()
	}
	require.Empty(t, buffer.String())
	info, err := file.Stat()
	require.NoError(t, err)
	require.Zero(t, info.Size())
}
