// Package domain is what may happen, and nothing about how: each folder below it decides
// and folds the events of one kind of stream. All of it is pure (no clock, no I/O, no
// context) and imports the standard library only; a test fails otherwise.
package domain
