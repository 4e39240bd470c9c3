//go:build !race

package handlers_test

// simSeeds is how many worlds every test run sees without the race detector: twenty seconds on two cores.
const simSeeds = 100
