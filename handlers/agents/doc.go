// Package agents is what every agent has, whatever it works on: a thread on which all that it says
// and does is kept before it goes on, a form for its tools, and an allowance for what it may spend.
package agents
