//go:build !race

package process

const dataFactor = 1

// environment of a worker: a script runs on one processor; with more, Go's scheduler looks for work there
// in vain.
var environment = []string{"GOMAXPROCS=1"}
