package sandbox

import (
	"context"
)

// ReadsAtOnce is how many reads of one run are made at the same time. Browsers make six to one host over HTTP/1.1, so
// that servers are used to about as many; and each may hold an answer of many megabytes while the script waits.
const ReadsAtOnce = 8

// Beginner is a [Host] that makes reads at the same time.
type Beginner interface {
	Host
	// Begin begins a read. If it knows the answer already, nothing is begun. It is called like Call: one at a time, in the
	// order in which the script makes its calls. An error is as of Call.
	Begin(ctx context.Context, call Call) (known Reply, begun *Begun, err error)
}

// Begun is a read that goes out.
type Begun struct {
	// Make makes it, at the same time as others and in another goroutine.
	Make func(ctx context.Context) (Reply, error)
	// Answered takes the answer, with the time that it took for the script, before the script has it. It is called like Begin.
	Answered func(ctx context.Context, reply Reply) error
}
