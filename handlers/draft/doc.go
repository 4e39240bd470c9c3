// Package draft looks after workflows that were never activated and that nobody touches: it asks their owners whether
// they go on, and archives what an owner wants archived.
package draft
