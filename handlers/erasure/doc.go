// Package erasure does what a deletion for good decided: what a workflow's events said goes out of the log, and what lies beside it
// out of the vault and the data directory.
package erasure
