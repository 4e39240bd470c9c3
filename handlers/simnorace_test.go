//go:build !race

package handlers_test

// simSeeds is how many worlds every test run sees without the race detector; `make test` has two thousand more.
const simSeeds = 40
