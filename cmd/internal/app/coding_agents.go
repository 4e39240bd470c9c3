package app

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
)

// CodingAgent is a coding agent that plans can name, as it is found on this machine.
type CodingAgent struct {
	Name     string   `json:"name"`
	Program  string   `json:"program,omitempty"` // where it is installed
	SignedIn bool     `json:"signed_in"`
	Keys     []string `json:"keys"` // of these variables one has to have a key, if nobody is signed in
	Command  []string `json:"command"`
}

// CodingAgents are all agents that plans can name.
func CodingAgents() []CodingAgent {
	home, _ := os.UserHomeDir() // without one nobody has signed in
	agents := make([]CodingAgent, len(coding.Profiles))
	for i, one := range coding.Profiles {
		agents[i] = CodingAgent{one.Name, one.Program(), one.SignedIn(home), one.Keys, one.Command}
	}
	return agents
}

// TriedAgent is what became of a coding agent that was tried.
type TriedAgent struct {
	CodingAgent
	// Works says that it signed in and answered; else Problem is why it did not, and what to do.
	Works   bool   `json:"works"`
	Problem string `json:"problem,omitempty"`
	Says    string `json:"says,omitempty"` // the end of its output
}

// trialTime is how long an agent is given to answer. Some of them try for minutes to reach a service that refuses them.
const trialTime = 4 * time.Minute

// TryAgent has an installed agent answer in one word, as a plan would start it: in an empty directory, with a home of its own, the sign-in of the
// person, and those of its keys that are in the environment.
func TryAgent(ctx context.Context, name string) (TriedAgent, error) {
	all := CodingAgents()
	at := slices.IndexFunc(all, func(one CodingAgent) bool { return one.Name == name })
	if at >= 0 {
		tried := TriedAgent{CodingAgent: all[at]}
		if tried.Program == "" {
			tried.Problem = "it is not installed: " + name + " is in no directory of PATH"
			return tried, nil
		}
		limited, cancel := context.WithTimeout(ctx, trialTime)
		defer cancel()
		trial, err := coding.Profiles[at].Try(limited)
		if err != nil || ctx.Err() != nil {
			return tried, err
		}
		tried.Works, tried.Problem, tried.Says = trial.Works, trial.Problem, trial.Says
		return tried, nil
	}
	names := make([]string, len(coding.Profiles))
	for i, one := range coding.Profiles {
		names[i] = one.Name
	}
	return TriedAgent{}, fault.New(fault.NotFound, "there is no agent %q that plans can name: there are %s", name, strings.Join(names, ", "))
}
