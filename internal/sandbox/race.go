//go:build race

package sandbox

// dataFactor: the race detector keeps several bytes of its own for each byte of the
// program, and the operating system counts them.
const dataFactor = 10

// raceEnvironment makes a race in a worker end it, so that it cannot go unnoticed.
var raceEnvironment = []string{"GORACE=halt_on_error=1"}
