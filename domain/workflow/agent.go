package workflow

import (
	"reflect"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// ByAgent adapts a command that an agent gives, or refuses it. An agent's words are no person's: they allow no new
// host. Commands that decide in a person's place, or say how far agents may go, are refused.
func (s State) ByAgent(c Command) (Command, error) {
	switch c := c.(type) {
	case Create:
		c.Imported = true
		return c, nil
	case ChangeIntent:
		c.ByAgent = true
		return c, nil
	case SaveScript:
		c.Origin = OriginAgent
		return c, s.agentSaves()
	case ChangeSettings:
		other := c.Settings
		if other.Input = s.Settings.Input; !reflect.DeepEqual(other, s.Settings) {
			return nil, forPeople("change settings, which say where scripts go and how far agents do")
		}
	case Activate:
		return nil, forPeople("activate a workflow")
	case Rollback:
		return nil, forPeople("roll a script back")
	case AcceptFix:
		return nil, forPeople("accept a fix")
	case OpenPlannerTask, TellPlanner, AnswerQuestion:
		return nil, forPeople("speak for the person with the planner, or answer a question")
	}
	return c, nil
}

// agentSaves refuses a save of an agent where a fix of an agent would wait for a person.
func (s State) agentSaves() error {
	instead := "give the script to a person to save, or make a draft with it"
	switch mode := s.Settings.WithDefaults().AutoFix; {
	case s.Status == StatusDraft:
		return nil
	case s.Status == StatusHeld:
		return fault.New(fault.Forbidden, "not saved: a fix waits for a person, and a save would decide in their place; %s", instead)
	case mode == ModePropose || mode == ModeOff:
		return fault.New(fault.Forbidden, "not saved: in mode %s nothing that an agent wrote runs before a person has accepted it. For a failure, suggest a fix, which waits for them; else %s", mode, instead)
	}
	return nil
}

func forPeople(what string) error {
	return fault.New(fault.Forbidden, "only a person may %s: what an agent holds does not, whatever its scopes are", what)
}
