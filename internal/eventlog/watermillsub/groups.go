package watermillsub

import (
	"context"
	"errors"
	"time"
)

// Groups keeps what groups have done, and who of several processes is the one that delivers.
type Groups interface {
	// Look gives what was saved last, empty for a new group.
	Look(ctx context.Context, group string) (state []byte, err error)
	// Claim makes a caller the one that delivers for a group, for as long as the lease, unless another one is. The token
	// is of this claim only. State is what was saved last, empty for a new group.
	Claim(ctx context.Context, group string, lease time.Duration) (claim Claim, claimed bool, err error)
	// Save keeps the state and begins the lease again. It returns [ErrLost] if the claim is not the newest any more.
	Save(ctx context.Context, group string, token int64, state []byte, lease time.Duration) error
	// Release keeps the state and lets others claim at once. It returns [ErrLost] like Save.
	Release(ctx context.Context, group string, token int64, state []byte) error
	// Retire forgets what was saved for a group that is over. Nobody can claim it for [Retired], in which every process
	// learns that it is over: one that did not know would begin anew. A process that delivers for it saves no more, and gets [ErrLost].
	Retire(ctx context.Context, group string) error
	// Revive has a group claimed again that was retired, if it turns out to be current: that is asked after it was seen to be retired.
	Revive(ctx context.Context, group string, current func() (bool, error)) error
}

// Retired is for how long a group that is over cannot be claimed.
const Retired = 24 * time.Hour

// Key is what the state of a topic of a group is kept under.
func Key(group, topic string) string { return group + "/" + topic }

// Claim is the right to deliver for a group.
type Claim struct {
	Token int64
	State []byte
}

// ErrLost says that another process delivers for the group now.
var ErrLost = errors.New("watermillsub: another process delivers for the group")
