package projections

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// A run's hosts are kept beside it until it is settled: only those of successes count. What an earlier
// run's journal answered this one did not ask for, and imported runs happened elsewhere.
const hostSchema = `
CREATE TABLE host_run (
  run      TEXT PRIMARY KEY,
  workflow TEXT NOT NULL,
  major    INTEGER NOT NULL,
  minor    INTEGER NOT NULL,
  asked    TEXT NOT NULL DEFAULT '' -- by the call under way, as the URL has it
) WITHOUT ROWID;
CREATE TABLE host_answered (
  run  TEXT NOT NULL,
  host TEXT NOT NULL,
  PRIMARY KEY (run, host)
) WITHOUT ROWID;
CREATE TABLE host_reached (
  workflow TEXT NOT NULL,
  major    INTEGER NOT NULL,
  minor    INTEGER NOT NULL,
  host     TEXT NOT NULL,
  PRIMARY KEY (workflow, major, minor, host)
) WITHOUT ROWID;
`

func applyHost(tx *readmodel.Tx, recorded event.Recorded) error {
	switch e := recorded.Event.(type) {
	case workflow.RunAdmitted:
		if e.Trigger == workflow.TriggerImport {
			return nil
		}
		return exec(tx, `INSERT INTO host_run (run, workflow, major, minor) VALUES (?, ?, ?, ?)`, e.Run, workflowOf(recorded), e.Version.Major, e.Version.Minor)
	case run.ToolCalled:
		if !strings.HasPrefix(e.Tool, "web.") {
			return nil
		}
		host := ""
		if e.From == "" {
			host = hostCalled(e.Args)
		}
		return exec(tx, `UPDATE host_run SET asked = ? WHERE run = ?`, host, runOf(recorded))
	case run.ToolReturned:
		if e.More || e.Error != nil {
			return nil
		}
		for _, host := range e.Hosts {
			if err := exec(tx, `INSERT OR IGNORE INTO host_answered SELECT run, ? FROM host_run WHERE run = ?`, host, runOf(recorded)); err != nil {
				return err
			}
		}
		if err := exec(tx, `INSERT OR IGNORE INTO host_answered SELECT run, asked FROM host_run WHERE run = ? AND asked <> ''`, runOf(recorded)); err != nil {
			return err
		}
		return exec(tx, `UPDATE host_run SET asked = '' WHERE run = ? AND asked <> ''`, runOf(recorded))
	case workflow.RunSucceeded:
		if err := exec(tx, `INSERT OR IGNORE INTO host_reached
			SELECT workflow, major, minor, host FROM host_run JOIN host_answered USING (run) WHERE run = ?`, e.Run); err != nil {
			return err
		}
		return forgetHosts(tx, e.Run)
	case workflow.RunFailed:
		return forgetHosts(tx, e.Run)
	}
	return nil
}

func forgetHosts(tx *readmodel.Tx, of string) error {
	if err := exec(tx, `DELETE FROM host_answered WHERE run = ?`, of); err != nil {
		return err
	}
	return exec(tx, `DELETE FROM host_run WHERE run = ?`, of)
}

// hostCalled is the host in a web call's first argument, as the URL has it; empty if there is none.
func hostCalled(args json.RawMessage) string {
	var list []json.RawMessage
	var address string
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &address) != nil {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
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
