package projections

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cause is what a person would mend once: a key that has expired, a service that is down, an error that many scripts
// stumble over. Notifications with one cause are shown as one.
type Cause struct {
	// ID names the cause, whichever notifications it has just now.
	ID        string    `json:"id"`
	Sentence  string    `json:"sentence"`
	Count     int       `json:"count"` // of notifications
	Workflows int       `json:"workflows"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	Actions   []string  `json:"actions"` // two at most, that which is most likely wanted first
}

// CausePrefix begins the id of a cause, and of no notification.
const CausePrefix = "cause-"

// mostActions is how many actions a cause offers at once.
const mostActions = 2

// cause is the same for notifications that are mended together; empty for one that stands by itself.
func (n Notification) cause() string {
	kind, _, _ := strings.Cut(n.About, " ")
	switch {
	case n.Type == NotifyError && n.host != "" && (kind == aboutAuth || kind == aboutNetwork):
		return kind + " " + n.host // one key or one service, whatever the scripts
	case n.Type == NotifyDraft:
		return n.About // all of one owner
	case n.Type == NotifyScriptMessage:
		return "message " + n.Workflow + " " + n.Title
	case n.loose == "" || !slices.Contains(grouping, n.Type):
		return ""
	case n.Type == NotifyMaintenanceFailed:
		return string(NotifyEscalated) + " " + n.host + " " + n.loose
	}
	return string(n.Type) + " " + n.host + " " + n.loose
}

// joined lets one notification stand for all with the same cause: the newest, as the list is. It leaves the others
// out, and names them.
func joined(list []Notification) []Notification {
	lead := map[string]int{}
	kept := make([]Notification, 0, len(list))
	for _, one := range list {
		of := one.cause()
		if of == "" {
			of = one.ID
		}
		at, told := lead[of]
		if !told {
			sum := sha256.Sum256([]byte(of))
			actions := slices.DeleteFunc(slices.Clone(one.Actions), func(action string) bool { return action == ActionCorrect || action == ActionRecheck })
			one.Cause = &Cause{
				ID: CausePrefix + hex.EncodeToString(sum[:8]), First: one.At, Last: one.At, Actions: actions[:min(len(actions), mostActions)],
			}
			lead[of], at = len(kept), len(kept)
			kept = append(kept, one)
		} else {
			kept[at].Also = append(kept[at].Also, Told{
				ID: one.ID, Workflow: one.Workflow, WorkflowTitle: one.WorkflowTitle, Run: one.Run, Proposal: one.Proposal, At: one.At,
			})
		}
		cause := kept[at].Cause
		cause.Count++
		cause.First = one.At
	}
	for i := range kept {
		kept[i].Cause.say(kept[i])
	}
	return kept
}

// say counts the workflows, and says it in a sentence.
func (c *Cause) say(lead Notification) {
	of := map[string]bool{lead.Workflow: true}
	for _, also := range lead.Also {
		of[also.Workflow] = true
	}
	c.Workflows = len(of)
	switch {
	case lead.Workflow == "":
		c.Workflows, c.Sentence = 0, lead.Title
	case c.Workflows > 1:
		c.Sentence = fmt.Sprintf("%s, in %d workflows", lead.Title, c.Workflows)
	case c.Count > 1:
		c.Sentence = fmt.Sprintf("%s: %s, %d times", lead.WorkflowTitle, lead.Title, c.Count)
	default:
		c.Sentence = lead.WorkflowTitle + ": " + lead.Title
	}
}
