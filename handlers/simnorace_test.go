//go:build !race

package handlers_test

// simSeeds is how many worlds every test run sees without the race detector: as many as show each kind of trouble.
const simSeeds = simTelling

// simRaces is how many interleavings of planner and maintainer it sees.
const simRaces = 2 * simTelling
