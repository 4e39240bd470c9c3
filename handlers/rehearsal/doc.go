// Package rehearsal looks at runs without sending a write: a run's calls as answers for a run that continues it, and
// scripts that run on such answers or on live reads, their writes captured.
package rehearsal
