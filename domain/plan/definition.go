package plan

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// Definition is a plan as people write it.
type Definition struct {
	Title string `json:"title"`
	// Repository is a directory in the repository; in a file it may be relative to the file.
	Repository string `json:"repository"`
	// Base is where the work begins. Nothing is ever committed there.
	Base string `json:"base"`
	// Integration is the branch that finished jobs are merged onto.
	Integration string `json:"integration"`
	// Secrets are names of variables with the handles of secrets, whose values init and verify get; agents do not.
	Secrets map[string]string `json:"secrets,omitempty"`
	// Init is run in each new worktree, before anything else.
	Init string `json:"init,omitempty"`
	// Verify is run after each merge, before what the merged job's own is.
	Verify []string `json:"verify,omitempty"`
	// Copy and Link are files and directories of the person's checkout that git ignores, such as .env or node_modules. Each new worktree
	// gets them, as a copy or as a symlink.
	Copy []string `json:"copy,omitempty"`
	Link []string `json:"link,omitempty"`
	// Wall is what the programs of the plan can reach beside their worktree.
	Wall Wall `json:"wall,omitzero"`
	// Healer is what the Healer may do for jobs that failed; nothing, and they are held for a person at once.
	Healer *session.Policy `json:"healer,omitempty"`
	// Parallel bounds how many jobs are at work at once. Default 4.
	Parallel int   `json:"parallel,omitempty"`
	Jobs     []Job `json:"jobs"`
}

// Job is one piece of work.
type Job struct {
	ID string `json:"id"`
	// Task is what the agent is told.
	Task  string  `json:"task"`
	Agent Program `json:"agent"`
	// Environment is all that the agent and the commands get beside PATH, HOME and LANG.
	Environment map[string]string `json:"environment,omitempty"`
	// Secrets are names of variables with the handles of secrets, whose values the agent alone gets.
	Secrets map[string]string `json:"secrets,omitempty"`
	// Touch are the files that may be changed in any way, as globs; with ! in front, those that may not.
	Touch []string `json:"touch"`
	// MayCreate are files that may be made, and not changed if they are there.
	MayCreate []string `json:"may_create,omitempty"`
	// Needs are jobs whose work has to be merged before.
	Needs  []string `json:"needs,omitempty"`
	Verify []string `json:"verify,omitempty"`
	// Timeout is for each launch of the agent and each command, as 30m. Default 1h.
	Timeout string `json:"timeout,omitempty"`
	// Attempts is how often the agent is launched before a failure is held for a person. Default 1.
	Attempts int `json:"attempts,omitempty"`
	// Subtasks are told one after the other, each in a launch of its own, in the same worktree.
	Subtasks []string `json:"subtasks,omitempty"`
	// MayChangeNothing says that the job may be done without a changed file; else a person is asked.
	MayChangeNothing bool `json:"may_change_nothing,omitempty"`
	// Ports are names of variables, each of which has a free TCP port that no other job of the plan is given.
	Ports []string `json:"ports,omitempty"`
}

// Wall is what the programs of a plan can reach beside their worktree, where the kernel has walls. The zero Wall hides the home of the
// server's user, the data directory and the person's checkout, and lets all else be read and all ports be connected to.
type Wall struct {
	Off bool `json:"off,omitempty"`
	// Read and Write are files and directories by their whole paths, or with ~ for the home of the server's user.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Connect are the TCP ports that may be connected to; nil for all.
	Connect *[]int `json:"connect,omitempty"`
}

// Program is a command line: a list of arguments, or one text for the shell.
type Program []string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Program) UnmarshalJSON(text []byte) error {
	var line string
	if string(text) == "null" {
		return nil
	}
	if json.Unmarshal(text, &line) == nil {
		*p = Shell(line)
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*p = list
	return nil
}

// Shell is a line that the shell reads.
func Shell(line string) Program { return Program{"/bin/sh", "-c", line} }

// DefaultParallel is how many jobs are at work at once, if a plan does not say.
const DefaultParallel = 4

// DefaultTimeout is a job's, if it names none.
const DefaultTimeout = time.Hour

// Limit is the job's timeout.
func (j Job) Limit() time.Duration {
	if limit, err := time.ParseDuration(j.Timeout); err == nil && limit > 0 {
		return limit
	}
	return DefaultTimeout
}

// Job is a job by its id.
func (d Definition) Job(id string) (Job, bool) {
	for _, job := range d.Jobs {
		if job.ID == id {
			return job, true
		}
	}
	return Job{}, false
}
