package watermillsub

import (
	"bytes"
	"time"
)

// positionSaver saves how far a delivery is, as soon as something was acknowledged and the save before has ended: one
// save is of all that was acknowledged meanwhile. Deliveries go on beside it, but for the lanes that wait for it.
type positionSaver struct {
	save  func(state []byte) error
	state []byte // what was saved last
	at    time.Time
	lease time.Duration

	due   bool       // there may be something to save
	busy  bool       // a save is under way
	saved chan error // what became of it
}

// soon begins to save if that is due. The delivery is looked at now, by who owns it.
func (k *positionSaver) soon(d *delivery) error {
	if !k.due || k.busy {
		return nil
	}
	k.due = false
	state, err := d.save()
	if err != nil {
		return err
	}
	d.keeping, d.acked = d.acked, nil
	if began := time.Now(); !bytes.Equal(state, k.state) || began.Sub(k.at) >= k.lease/2 {
		k.state, k.at, k.busy = state, began, true
		go func() { k.saved <- k.save(state) }()
		return nil
	}
	d.kept() // nothing happened, and the lease goes on for long enough
	return nil
}

// end waits for the save that is under way.
func (k *positionSaver) end() error {
	if !k.busy {
		return nil
	}
	return <-k.saved
}
