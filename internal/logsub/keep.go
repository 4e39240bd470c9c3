package logsub

import (
	"bytes"
	"time"
)

// keeper saves how far a delivery is, soon after each answer: what was acknowledged and not saved comes again when this process
// is killed. Deliveries go on meanwhile.
type keeper struct {
	save  func(state []byte) error
	kept  []byte // what was saved last
	at    time.Time
	lease time.Duration

	due    bool       // there may be something to save
	busy   bool       // a save is under way, or was just now
	saved  chan error // what became of it
	rested *time.Timer
	saving bool
}

// restOf is for how many times as long as a save took nothing is saved after it: saves take at most a fifth of the time, and
// the many subscriptions of one store do not keep it from others.
const restOf = 4

// soon begins to save if that is due. The delivery is looked at now, by who owns it.
func (k *keeper) soon(d *delivery) error {
	if !k.due || k.busy {
		return nil
	}
	k.due = false
	began := time.Now()
	state, err := d.save()
	if err != nil || bytes.Equal(state, k.kept) && began.Sub(k.at) < k.lease/2 {
		return err // nothing happened, and the lease goes on for long enough
	}
	k.kept, k.at, k.busy, k.saving = state, began, true, true
	go func() { k.saved <- k.save(state) }()
	return nil
}

// rest is called when a save has ended.
func (k *keeper) rest() {
	k.saving = false
	k.rested.Reset(min(restOf*time.Since(k.at), k.lease/10))
}

// end waits for the save that is under way.
func (k *keeper) end() error {
	if !k.saving {
		return nil
	}
	return <-k.saved
}
