// Package agent is the one loop of all agents: it asks a model, carries out the tools it calls, and ends in bounds
// that no model can move. Each turn is given to a [Journal] before it is acted on, so that a crash resumes the
// conversation.
package agent
