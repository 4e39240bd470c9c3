package gate

// Unverifiable says that the replay parted from the record only because it made a call that was
// never recorded: nobody knows what would have come of it.
func (r Reproduction) Unverifiable() bool {
	return r.Divergence != nil && r.Divergence.What == inCall
}
