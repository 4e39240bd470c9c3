//go:build !race

package handlers_test

// simSeeds is how many worlds every test run sees without the race detector; `make test` has two thousand more.
const simSeeds = 40

// simRaces is how many interleavings of planner and maintainer it sees.
const simRaces = 1000
