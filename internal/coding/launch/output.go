package launch

import (
	"fmt"
	"io"
)

// cutEnd is how much of the end of an output is kept that is longer than it may be, at most.
const cutEnd = 256 << 10

// limitedWriter keeps what a program wrote up to a number of bytes: beyond, its middle is left out.
type limitedWriter struct {
	to   io.Writer
	most int64 // of what is kept
	seen int64
	end  []byte // the newest of what is beyond
}

// tail is how much of the end is kept.
func (k *limitedWriter) tail() int64 { return min(cutEnd, k.most/2) }

// Write implements [io.Writer]; it takes everything.
func (k *limitedWriter) Write(b []byte) (int, error) {
	whole := int64(len(b))
	room := min(max(k.most-k.tail()-k.seen, 0), whole)
	k.seen += whole
	if k.end = append(k.end, b[room:]...); int64(len(k.end)) > 2*k.tail() {
		k.end = append(k.end[:0], k.end[int64(len(k.end))-k.tail():]...)
	}
	_, err := k.to.Write(b[:room])
	return len(b), err
}

// Close writes the end, and how much is left out before it.
func (k *limitedWriter) Close() error {
	end := k.end[max(0, int64(len(k.end))-k.tail()):]
	if left := k.seen - (k.most - k.tail()) - int64(len(end)); left > 0 {
		if _, err := fmt.Fprintf(k.to, "\n… %d bytes are left out …\n", left); err != nil {
			return err
		}
	}
	_, err := k.to.Write(end)
	return err
}
