package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// hostRun is a run that is not settled. Only the hosts of successes count. Calls that an earlier run's journal answered this
// one did not ask for, and imported runs happened elsewhere.
type hostRun struct {
	Run      string   `col:"run,key"`
	Workflow string   `col:"workflow"`
	Major    int      `col:"major"`
	Minor    int      `col:"minor"`
	Asked    []asked  `col:"asked,json"` // by the calls under way
	Answered []string `col:"answered,json"`
}

// asked is the host that a call goes to, as the URL has it.
type asked struct {
	Seq  int    `json:"seq"`
	Host string `json:"host"`
}

// hostReached is a host that gave a run of a version an answer that then succeeded.
type hostReached struct {
	Workflow string `col:"workflow,key"`
	Major    int    `col:"major,key"`
	Minor    int    `col:"minor,key"`
	Host     string `col:"host,key"`
}

var (
	hostRuns     = readmodel.NewTable[hostRun]("host_run")
	hostsReached = readmodel.NewTable[hostReached]("host_reached")
)

func applyHost(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case workflow.RunAdmitted:
		if e.Trigger != workflow.TriggerImport {
			hostRuns.Insert(tx, hostRun{Run: e.Run, Workflow: strings.Clone(workflowOf(recorded)), Major: e.Version.Major, Minor: e.Version.Minor})
		}
	case run.ToolCalled:
		if host := hostOf(tx); host != "" && e.From == "" && hostRuns.Get(tx, runOf(recorded)) != nil {
			one := hostRuns.Edit(tx, runOf(recorded))
			one.Asked = append(one.Asked, asked{Seq: e.Seq, Host: host})
		}
	case run.ToolReturned:
		one := hostRuns.Get(tx, runOf(recorded))
		if one == nil || e.More {
			return nil
		}
		at := slices.IndexFunc(one.Asked, func(of asked) bool { return of.Seq == e.Seq })
		if at < 0 && len(e.Hosts) == 0 {
			return nil
		}
		hosts := e.Hosts
		one = hostRuns.Edit(tx, one.Run)
		if at >= 0 {
			hosts = append(slices.Clip(hosts), one.Asked[at].Host)
			one.Asked = slices.Concat(one.Asked[:at], one.Asked[at+1:])
		}
		for _, host := range hosts {
			if e.Error == nil && !slices.Contains(one.Answered, host) {
				one.Answered = append(one.Answered, host)
			}
		}
	case workflow.RunSucceeded:
		if one := hostRuns.Get(tx, e.Run); one != nil {
			for _, host := range one.Answered {
				if hostsReached.Get(tx, one.Workflow, one.Major, one.Minor, host) == nil {
					hostsReached.Insert(tx, hostReached{Workflow: one.Workflow, Major: one.Major, Minor: one.Minor, Host: host})
				}
			}
		}
		hostRuns.Delete(tx, e.Run)
	case workflow.RunFailed:
		hostRuns.Delete(tx, e.Run)
	case workflow.RunCancelled:
		hostRuns.Delete(tx, e.Run)
	}
	return nil
}

// webHost is the host of a web call, as its URL has it; empty if there is none.
func webHost(name string, args json.RawMessage) string {
	if hostcall.Of(name).Request == nil {
		return ""
	}
	if host, plain := plainHost(args); plain {
		return host
	}
	return urlHost(args)
}

func urlHost(args json.RawMessage) string {
	var list []json.RawMessage
	var text string
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &text) != nil {
		return ""
	}
	address, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToLower(address.Host)
}

// plainHost is the host of a URL that begins a list, if nothing about it is out of the ordinary: that is nearly always so,
// and takes a tenth of the time.
func plainHost(args []byte) (host string, plain bool) {
	rest, found := bytes.CutPrefix(args, []byte(`["http`))
	if !found {
		return "", false
	}
	rest = bytes.TrimPrefix(rest, []byte("s"))
	if rest, found = bytes.CutPrefix(rest, []byte("://")); !found {
		return "", false
	}
	end := bytes.IndexFunc(rest, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' })
	if end < 1 || rest[end] != '/' {
		return "", false
	}
	for _, c := range rest[end:] {
		switch {
		case c == '"':
			return string(rest[:end]), true
		case c == '\\', c == '%', c <= ' ', c >= 0x7f: // the rest of the URL may be wrong
			return "", false
		}
	}
	return "", false
}

// ReachedHost is a host that gave a run an answer that then succeeded.
type ReachedHost struct {
	Minor int    // of the version that ran
	Host  string // as URLs have it: with a port if that is not the usual one
}

// Hosts are the hosts that successful runs of a major version had answers from, also by redirects, runs
// that were imported left out.
func (q *Queries) Hosts(ctx context.Context, workflow string, major int) ([]ReachedHost, error) {
	scan := func(row readmodel.Row) (ReachedHost, error) {
		return ReachedHost{Minor: row.Int("minor"), Host: row.Text("host")}, nil
	}
	return collect(ctx, q, scan, `SELECT minor, host FROM host_reached WHERE workflow = ? AND major = ? ORDER BY minor, host`, workflow, major)
}
