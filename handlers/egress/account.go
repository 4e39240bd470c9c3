package egress

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// AccountedHost is a host that a script spells out.
type AccountedHost struct {
	Host    string `json:"host"`
	Named   bool   `json:"named"`             // by a person: in the settings, in their words, in a script of their own
	Refused string `json:"refused,omitempty"` // why a run may not go there, as long as nobody allows it
	Closed  bool   `json:"closed,omitempty"`  // by the installation: only an admin opens it, as Refused says
	Command string `json:"command,omitempty"` // that allows it, if the caller knows the command line
}

// UnsetSecret is a secret that a script uses and that nobody has set, with the command that sets it.
type UnsetSecret struct {
	Name    string   `json:"name"`
	Hosts   []string `json:"hosts"` // that the script spells out: one of them is sent it
	Command string   `json:"command"`
}

// Account is what a workflow does once it is active, as far as that can be told without running it. The
// program says it, not an agent.
type Account struct {
	Of       workflow.Version `json:"-"`
	Version  string           `json:"version"`
	Hosts    []AccountedHost  `json:"hosts"`
	Writes   []string         `json:"writes"`
	Secrets  []string         `json:"secrets"`
	Unset    []UnsetSecret    `json:"unset_secrets,omitempty"` // if the caller has the vault
	Unclear  []string         `json:"unclear,omitempty"`       // what only a run can tell
	Schedule string           `json:"schedule,omitempty"`
	Zone     string           `json:"zone,omitempty"`
	On       []string         `json:"on,omitempty"` // workflows whose outcomes start it
	// Unnamed are the hosts that a person has to name before the version may run by itself: those that an agent or a
	// bundle wrote into its major, and nobody named. The gate decides about hosts of fixes.
	Unnamed []string `json:"unnamed,omitempty"`
}

// AccountOf gives the account of a workflow's active version.
func AccountOf(ctx context.Context, c *commands.Commands, id string) (Account, error) {
	s, people, err := whatPeopleNamed(ctx, c, id)
	if err != nil {
		return Account{}, err
	}
	script, found := s.Script(s.Active)
	if !found {
		return Account{}, fault.New(fault.Conflict, "workflow %q has no script: save one first", s.Title)
	}
	spelled, err := gate.NewAccount(script.Code)
	if err != nil {
		return Account{}, fmt.Errorf("egress: account for version %s: %w", script.Version, err)
	}
	account := Account{
		Of: script.Version, Version: script.Version.String(), Writes: spelled.Writes, Secrets: spelled.Secrets, Unclear: spelled.Unclear,
		Hosts: []AccountedHost{}, Schedule: s.Schedule.Spec, Zone: s.Schedule.Zone,
		On: slices.Sorted(maps.Keys(s.Triggers)),
	}
	if account.Schedule != "" && account.Zone == "" {
		account.Zone = s.Zone
	}
	installed, err := c.LoadInstallation(ctx)
	if err != nil {
		return Account{}, err
	}
	for _, host := range spelledHosts(script.Code, spelled) {
		why, closed := whyRefused(installed, s, host)
		account.Hosts = append(account.Hosts, AccountedHost{Host: host, Named: people.names(splitHost(host)), Refused: why, Closed: closed})
	}
	begun := boundsOf(s, script.Version).code
	if spelled, err = gate.NewAccount(begun); err != nil {
		return Account{}, fmt.Errorf("egress: account for the major of version %s: %w", script.Version, err)
	}
	account.Unnamed = slices.DeleteFunc(spelledHosts(begun, spelled), func(host string) bool { return people.names(splitHost(host)) })
	return account, nil
}

// whatPeopleNamed is [named], with what people said to planners whose tasks are closed: of that the state
// keeps nothing.
func whatPeopleNamed(ctx context.Context, c *commands.Commands, id string) (s workflow.State, people reach, err error) {
	said := map[string]bool{}
	for recorded, err := range c.History(ctx, []string{workflow.Stream(id)}) {
		if err != nil {
			return s, reach{}, err
		}
		if e, is := recorded.Event.(workflow.PlannerTaskClosed); is && s.Planner != nil && s.Planner.Task == e.Task {
			maps.Copy(said, named(workflow.State{Planner: s.Planner, Answers: s.Answers}).hosts)
		}
		s = workflow.Evolve(s, recorded.Event)
	}
	people = named(s)
	maps.Copy(people.hosts, said)
	return s, people, nil
}

// spelledHosts are the hosts in the code's strings, and in all else of it: a run may go to those, too.
func spelledHosts(code string, spelled gate.Account) []string {
	hosts := append(hostsInURLs(code), spelled.Hosts...)
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
