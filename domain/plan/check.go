package plan

import (
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Fault is something wrong in a definition. Path leads there, as a JSON pointer does.
type Fault struct {
	Path string
	Text string
}

// The bounds of a definition.
const (
	maxJobs  = 500
	maxTask  = 64 << 10 // it is an argument of a program
	maxTasks = 100
	maxJobID = 40
)

var (
	jobID    = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

type faults []Fault

func (f *faults) add(path, format string, args ...any) {
	*f = append(*f, Fault{Path: path, Text: fmt.Sprintf(format, args...)})
}

// Check is all that is wrong in a definition.
func (d Definition) Check() []Fault {
	var found faults
	for name, value := range map[string]string{"title": d.Title, "repository": d.Repository, "base": d.Base, "integration": d.Integration} {
		if strings.TrimSpace(value) == "" {
			found.add("/"+name, "%s is missing", name)
		}
	}
	if d.Integration != "" && strings.TrimPrefix(d.Integration, "refs/heads/") == strings.TrimPrefix(d.Base, "refs/heads/") {
		found.add("/integration", "the integration branch is the base branch %q, to which nothing is committed: name another", d.Base)
	}
	if d.Parallel < 0 || d.Parallel > 64 {
		found.add("/parallel", "%d jobs at once: 1 to 64", d.Parallel)
	}
	checkSecrets(&found, "", d.Secrets, nil)
	checkPlaces(&found, "/copy", d.Copy, inRepository)
	checkPlaces(&found, "/link", d.Link, inRepository)
	checkPlaces(&found, "/wall/read", d.Wall.Read, whole)
	checkPlaces(&found, "/wall/write", d.Wall.Write, whole)
	if d.Wall.Connect != nil {
		for i, port := range *d.Wall.Connect {
			if port < 1 || port > math.MaxUint16 {
				found.add(fmt.Sprintf("/wall/connect/%d", i), "%d is no port: 1 to 65535", port)
			}
		}
	}
	if len(d.Jobs) == 0 || len(d.Jobs) > maxJobs {
		found.add("/jobs", "there are %d jobs: a plan has 1 to %d", len(d.Jobs), maxJobs)
	}
	first := map[string]int{}
	for i, job := range d.Jobs {
		at := fmt.Sprintf("/jobs/%d", i)
		if before, there := first[job.ID]; there && job.ID != "" {
			found.add(at+"/id", "job %d has the id %q, too: each needs its own", before+1, job.ID)
		} else {
			first[job.ID] = i
		}
		job.check(&found, at)
		for _, name := range slices.Sorted(maps.Keys(job.Environment)) {
			if _, twice := d.Secrets[name]; twice {
				found.add(at+"/environment/"+name, "%q is one of the plan's secrets, too: it can be one of them", name)
			}
		}
	}
	for i, job := range d.Jobs {
		for n, need := range job.Needs {
			if _, there := first[need]; !there {
				found.add(fmt.Sprintf("/jobs/%d/needs/%d", i, n), "there is no job %q", need)
			}
		}
	}
	if circle := d.circle(); len(circle) > 0 {
		found.add(fmt.Sprintf("/jobs/%d/needs", first[circle[0]]), "the jobs need each other in a circle: %s", strings.Join(circle, " needs "))
	} else if len(found) == 0 {
		d.checkOverlaps(&found)
	}
	slices.SortStableFunc(found, func(a, b Fault) int { return strings.Compare(a.Path, b.Path) })
	return found
}

func checkPlaces(found *faults, at string, places []string, why func(place string) string) {
	for i, place := range places {
		if why := why(place); why != "" {
			found.add(fmt.Sprintf("%s/%d", at, i), "%q %s", place, why)
		}
	}
}

// inRepository says why a path is not one from the top of the repository, nothing if it is.
func inRepository(place string) string {
	if place == "" || path.IsAbs(place) || path.Clean(place) != strings.TrimSuffix(place, "/") || place == "." || place == ".." || strings.HasPrefix(place, "../") || strings.HasPrefix(place+"/", ".git/") {
		return "is no path from the top of the repository, such as .env or web/node_modules"
	}
	return ""
}

// whole says why a path is not a whole one, nothing if it is.
func whole(place string) string {
	if !path.IsAbs(place) && place != "~" && !strings.HasPrefix(place, "~/") {
		return "is no whole path: begin it with / or with ~/ for the home directory"
	}
	return ""
}

// checkSecrets looks at the secrets of who has an environment besides.
func checkSecrets(found *faults, at string, secrets, environment map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if !variable.MatchString(name) {
			found.add(at+"/secrets/"+name, "%q is no name of a variable", name)
		}
		if _, twice := environment[name]; twice {
			found.add(at+"/secrets/"+name, "%q is in the environment, too: it can be one of them", name)
		}
	}
}

func (j Job) check(found *faults, at string) {
	if len(j.ID) > maxJobID || !jobID.MatchString(j.ID) {
		found.add(at+"/id", "%q is no id of a job: 1 to 40 small letters, digits, _ or -, beginning with a letter or digit", j.ID)
	}
	if strings.TrimSpace(j.Task) == "" || len(j.Task) > maxTask {
		found.add(at+"/task", "the task has %d bytes: it says what is to be done in at most %d", len(j.Task), maxTask)
	}
	if len(j.Subtasks) > maxTasks {
		found.add(at+"/subtasks", "there are %d subtasks: at most %d", len(j.Subtasks), maxTasks)
	}
	if len(j.Agent) == 0 || j.Agent[0] == "" {
		found.add(at+"/agent", "the agent is missing: a command line, as a text or a list")
	}
	if j.Timeout != "" {
		if limit, err := time.ParseDuration(j.Timeout); err != nil || limit < time.Second {
			found.add(at+"/timeout", "%q is no time of a second or more: write it as 30m or 1h30m", j.Timeout)
		}
	}
	if j.Attempts < 0 || j.Attempts > 20 {
		found.add(at+"/attempts", "%d attempts: 1 to 20", j.Attempts)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Environment)) {
		if !variable.MatchString(name) {
			found.add(at+"/environment/"+name, "%q is no name of a variable", name)
		}
	}
	checkSecrets(found, at, j.Secrets, j.Environment)
	for i, name := range j.Ports {
		_, set := j.Environment[name]
		switch _, secret := j.Secrets[name]; {
		case !variable.MatchString(name):
			found.add(fmt.Sprintf("%s/ports/%d", at, i), "%q is no name of a variable", name)
		case set || secret || slices.Contains(j.Ports[:i], name):
			found.add(fmt.Sprintf("%s/ports/%d", at, i), "%q is given twice: name the variable of the port otherwise", name)
		}
	}
	if len(j.Touch)+len(j.MayCreate) == 0 {
		found.add(at+"/touch", "the job may touch nothing: name files in touch or may_create")
	}
	for name, list := range map[string][]string{"touch": j.Touch, "may_create": j.MayCreate} {
		only := len(list) > 0
		for i, text := range list {
			p, err := parsePattern(text)
			if err != nil {
				found.add(fmt.Sprintf("%s/%s/%d", at, name, i), "the pattern %q %s", text, err)
			}
			only = only && p.exclude
		}
		if only {
			found.add(at+"/"+name, "all patterns exclude: one has to name files")
		}
	}
}

// circle is a circle of needs, with its first job at both ends.
func (d Definition) circle() []string {
	const open, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(id string) []string
	visit = func(id string) []string {
		state[id], path = open, append(path, id)
		job, _ := d.Job(id)
		for _, need := range job.Needs {
			if state[need] == open {
				return append(slices.Clone(path[slices.Index(path, need):]), need)
			}
			if state[need] == 0 {
				if circle := visit(need); circle != nil {
					return circle
				}
			}
		}
		state[id], path = done, path[:len(path)-1]
		return nil
	}
	for _, job := range d.Jobs {
		if state[job.ID] == 0 {
			if circle := visit(job.ID); circle != nil {
				return circle
			}
		}
	}
	return nil
}

// before are the jobs that a job comes after.
func (d Definition) before(id string, into map[string]bool) map[string]bool {
	job, _ := d.Job(id)
	for _, need := range job.Needs {
		if !into[need] {
			into[need] = true
			d.before(need, into)
		}
	}
	return into
}

// checkOverlaps refuses jobs that may run at the same time and may touch the same file.
func (d Definition) checkOverlaps(found *faults) {
	sets, before := make([][2]touchSet, len(d.Jobs)), make([]map[string]bool, len(d.Jobs))
	for i, job := range d.Jobs {
		sets[i], before[i] = [2]touchSet{newTouchSet(job.Touch), newTouchSet(job.MayCreate)}, d.before(job.ID, map[string]bool{})
	}
	for i, job := range d.Jobs {
		for k, other := range d.Jobs[:i] {
			if before[i][other.ID] || before[k][job.ID] {
				continue
			}
			switch path, err := overlapOfAny(sets[i], sets[k]); {
			case err != nil:
				found.add(fmt.Sprintf("/jobs/%d/touch", i), "beside job %q: %v", other.ID, err)
			case path != "":
				found.add(fmt.Sprintf("/jobs/%d/touch", i), "job %q may run at the same time, and both may touch %q: let one need the other, or touch other files", other.ID, path)
			}
		}
	}
}

func overlapOfAny(some, others [2]touchSet) (string, error) {
	for _, one := range some {
		for _, other := range others {
			if path, err := overlap(one, other); path != "" || err != nil {
				return path, err
			}
		}
	}
	return "", nil
}
