package pglog

// Committers makes options with this number of committers.
func Committers(n int) Options { return Options{committers: n} }
