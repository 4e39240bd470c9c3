// Package subscription is an external system that is told of events: what it wants, where it is, and what could not
// be delivered to it. Each has a stream. How far its deliveries are is kept elsewhere; this stream has the decisions
// of people about them, and the events that were given up. It is pure: no clock, no I/O.
//
//	events, err := subscription.Decide(state, subscription.Add{Definition: definition}, now)
//	switch letter, there := state.Letters[event]; { … }
package subscription
