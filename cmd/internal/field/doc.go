// Package field has no code of its own: its tests play the cases of testdata/field through the whole program, and
// `make field` prints what became of them.
package field
