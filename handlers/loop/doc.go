// Package loop does what follows from the log, level-triggered: a reaction says what is due from
// the folded state of one stream alone; the Loop does it, once at a time, and looks again. Events
// only wake the loop, so a crash between two appends is mended by the next look, and reading the
// log again does nothing twice.
package loop
