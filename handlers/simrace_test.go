//go:build race

package handlers_test

// simSeeds is how many worlds every test run sees with the race detector, which takes about seven times as long.
const simSeeds = 4

// simRaces is how many interleavings of planner and maintainer it sees.
const simRaces = 10
