//go:build !race

package sandbox

const dataFactor = 1

var raceEnvironment []string
