package launch

import (
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
)

// limitedWriter keeps a program's output up to a number of bytes, and says once when it is more.
type limitedWriter struct {
	to   *redact.Writer
	most int64
	seen int64
	over chan<- struct{}
	once sync.Once
}

// Write implements [io.Writer]; it takes everything.
func (k *limitedWriter) Write(b []byte) (int, error) {
	k.seen += int64(len(b))
	if past := k.seen - k.most; past > 0 {
		k.once.Do(func() { close(k.over) })
		if past >= int64(len(b)) {
			return len(b), nil
		}
		if _, err := k.to.Write(b[:int64(len(b))-past]); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return k.to.Write(b)
}
