// Package rehearsal looks at runs without sending a write: what a run did, as answers for whoever
// goes on with it, and scripts that run on such answers or on live reads, their writes captured.
package rehearsal
