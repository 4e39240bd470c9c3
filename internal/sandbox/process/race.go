//go:build race

package process

// dataFactor: the race detector keeps several bytes of its own for each byte of the
// program, and the operating system counts them.
const dataFactor = 10

// environment makes a race in a worker end it, so that it cannot go unnoticed. Scripts are so slow under
// the race detector that garbage is better collected beside them, on a processor of its own.
var environment = []string{"GORACE=halt_on_error=1"}
