// Package publisher tells external systems of events: for each subscription a durable group of the log, whose events go to
// the subscription's target. It promises that each event comes at least once, events of one workflow in order, those of
// different workflows in any order, that what comes twice has the same id, and that nothing is left out unless a person
// chose so.
//
// Any number of nodes may run a [Publisher]; for each subscription one of them delivers at a time.
package publisher
