package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
	"github.com/prometheus/client_golang/prometheus"
)

// Health examines an installation, and measures it.
type Health struct {
	Dir           string
	Name          string
	Log           watchedLog
	Commands      *commands.Commands
	Queries       *projections.Queries
	Views         *readmodel.Store
	Now           func() time.Time
	Logger        *slog.Logger
	Generations   *Generations
	Secrets       *Secrets
	Subscriptions *Subscriptions

	requests *prometheus.HistogramVec
}

// CheckStatus is what a check came to.
type CheckStatus string

// The outcomes of a check. Something that warns works now and may not later; what fails does not work.
const (
	CheckOK   CheckStatus = "ok"
	CheckWarn CheckStatus = "warn"
	CheckFail CheckStatus = "fail"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	Seen   string      `json:"seen"`
	Do     string      `json:"do,omitempty"` // about it; empty if nothing has to be done
}

func well(seen string, args ...any) Check {
	return Check{Status: CheckOK, Seen: fmt.Sprintf(seen, args...)}
}

func warn(do, seen string, args ...any) Check {
	return Check{Status: CheckWarn, Do: do, Seen: fmt.Sprintf(seen, args...)}
}

func fail(do, seen string, args ...any) Check {
	return Check{Status: CheckFail, Do: do, Seen: fmt.Sprintf(seen, args...)}
}

// Failed says that something of it does not work.
func Failed(checks []Check) bool {
	return slices.ContainsFunc(checks, func(one Check) bool { return one.Status == CheckFail })
}

// Doctor looks at an installation from outside: nothing of it has to work, or to be there, and nothing is made or
// changed that was not there, but for what opening a store does.
type Doctor struct {
	Dir     string
	Address Address
	Open    func(ctx context.Context) (*Node, error) // all of it
	Logger  *slog.Logger
	Now     func() time.Time
	Model   ModelOptions
	Online  bool // the model is asked, too, which costs a few tokens
}

// checkPatience bounds a check: a store that does not answer is one of the things that are looked for.
const checkPatience = 15 * time.Second

// Examine looks at everything that can be looked at, in an order in which what comes first explains what follows.
func (d Doctor) Examine(ctx context.Context) []Check {
	checks := []Check{
		named(ctx, "directory", func(context.Context) Check { return d.directory() }),
		named(ctx, "disk", func(context.Context) Check { return diskOf(d.Dir) }),
	}
	add := func(name string, look func(ctx context.Context) Check) Check {
		checks = append(checks, named(ctx, name, look))
		return checks[len(checks)-1]
	}
	if add("store", d.store).Status != CheckFail {
		var n *Node
		opened := add("open", func(ctx context.Context) Check {
			var err error
			if n, err = d.Open(ctx); err != nil {
				return fail("See what the error names: views can be moved away, they are made again from the log; secrets can not.", "The installation does not open: %v", err)
			}
			return well("The log, its views and the state store open.")
		})
		if opened.Status == CheckOK {
			defer func() { _ = n.Close() }() // it was only looked at
			return append(checks, n.Health.Doctor(ctx, d.Model, d.Online)...)
		}
	}
	add("model", func(ctx context.Context) Check { return modelCheck(ctx, d.Model, d.Online) })
	return checks
}

// Doctor is what can be looked at in an installation that is open.
func (h *Health) Doctor(ctx context.Context, model ModelOptions, online bool) []Check {
	return []Check{
		named(ctx, "writable", h.writable),
		named(ctx, "chain", h.chains),
		named(ctx, "clock", h.clock),
		named(ctx, "views", h.views),
		named(ctx, "quarantine", h.quarantine),
		named(ctx, "secrets", h.secrets),
		named(ctx, "model", func(ctx context.Context) Check { return modelCheck(ctx, model, online) }),
		named(ctx, "server", h.server),
		named(ctx, "leases", h.leases),
		named(ctx, "runs", h.heldUp),
		named(ctx, "subscriptions", h.subscriptions),
		named(ctx, "wall", func(context.Context) Check { return wallCheck(launch.Walls()) }),
	}
}

func wallCheck(walls bool) Check {
	if walls {
		return well("Coding agents of plans are walled in: the kernel has landlock.")
	}
	return well("Coding agents of plans are not walled in, and reach what this user reaches: the kernel has no landlock (Linux 5.19), or it is switched off.")
}

// named carries a check out, in bounds.
func named(ctx context.Context, name string, look func(ctx context.Context) Check) Check {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	found := look(ctx)
	found.Name = name
	return found
}

// unanswered is of a question that the installation did not answer.
func unanswered(err error) Check {
	if building, is := errors.AsType[*readmodel.BuildingError](err); is {
		return warn("Wait for the server to build them, or run 'kintsugi projection build --once'.", "Not known: %v", building)
	}
	return fail("Mend what the error names, then look again.", "It could not be looked at: %v", err)
}

func (d Doctor) directory() Check {
	found, err := os.Stat(d.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail("Name the data directory with --data-dir, or begin with 'kintsugi workflow create'.", "There is no %s.", d.Dir)
	case err != nil:
		return fail("Let the user who runs Kintsugi read it.", "%v", err)
	case !found.IsDir():
		return fail("Name a directory with --data-dir.", "%s is not a directory.", d.Dir)
	}
	if probe, err := os.CreateTemp(d.Dir, ".doctor-*"); err != nil {
		return fail("Let the user who runs Kintsugi write it, or make room.", "Nothing can be written to %s: %v", d.Dir, err)
	} else if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return fail("See to the disk.", "A file in %s cannot be removed again: %v", d.Dir, err)
	}
	if found.Mode().Perm()&0o077 != 0 {
		return warn("chmod 700 "+d.Dir, "%s can be written, and others on this machine can look into it (mode %04o).", d.Dir, found.Mode().Perm())
	}
	return well("%s can be written, by its user only.", d.Dir)
}

// How much room there has to be on the disk: what a day of work may take, and what a server needs to say that there is
// none.
const (
	roomWanted = 2 << 30
	roomNeeded = 100 << 20
)

func diskOf(dir string) Check {
	for dir != filepath.Dir(dir) { // of a directory that is still to be made, the disk is that of its parent
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	free, all, err := room(dir)
	if err != nil {
		return fail("See to the disk.", "%v", err)
	}
	seen := fmt.Sprintf("%d MiB of %d MiB are free where %s is.", free>>20, all>>20, dir)
	switch {
	case free < roomNeeded:
		return fail("Make room: on a full disk nothing is acknowledged, and nothing that was is lost.", "%s", seen)
	case free < roomWanted:
		return warn("Make room before it is full: runs stop then.", "%s", seen)
	}
	return well("%s", seen)
}

// store opens the log alone, so that trouble of the views is told from trouble of what cannot be made again.
func (d Doctor) store(ctx context.Context) Check {
	if err := d.Address.Exists(); errors.Is(err, eventlog.ErrDamaged) {
		return fail("Restore the file from a backup: 'kintsugi store backup' made it.", "%v", err)
	} else if err != nil {
		return fail("Name the data directory with --data-dir, or the store with --store.", "%v", err)
	}
	log, err := OpenLog(ctx, d.Address, CommandPatience, d.Logger)
	if err != nil {
		do := "Is the server of the store up, and is its address right? See --store."
		if d.Address.Backend == SQLite {
			do = "Keep the file as it is, and restore a backup beside it; 'kintsugi verify' says which events are whole."
		}
		return fail(do, "The event log does not open: %v", err)
	}
	defer func() { _ = log.Close() }() // it was only read
	head, err := log.Head(ctx)
	if err != nil {
		return fail("See what the store says of itself.", "The event log opens and does not answer: %v", err)
	}
	if head == eventlog.Start {
		return well("The event log at %s is empty.", d.Address)
	}
	return well("The event log at %s answers, its newest event is at position %s.", d.Address, strings.TrimLeft(string(head), "0"))
}

// writable asks for an append that has to be refused, because its stream is not there: a store that can only be read
// does not come as far as that.
func (h *Health) writable(ctx context.Context) Check {
	probe := eventlog.Event{ID: NewID(), Type: "DoctorLooked", SchemaVersion: 1, Payload: []byte("{}"), Metadata: []byte("{}")}
	_, err := h.Log.Append(ctx, "doctor-"+NewID(), eventlog.Exact(0), []eventlog.Event{probe})
	if _, conflict := errors.AsType[*eventlog.ConflictError](err); conflict {
		return well("The event log takes appends.")
	}
	if err == nil {
		err = errors.New("an append to a stream that is not there was taken")
	}
	return fail("Let the user who runs Kintsugi write the store; make room if it is full.", "The event log takes no appends: %v", err)
}

// How much of the history is checked: the streams of the newest events, as far as they are read in a moment.
const (
	chainsLooked = 200 // events, from the newest back
	chainsEvents = 50_000
)

// chains checks the hash chains of the streams that were written last: what is damaged by a disk or by hand is often
// near the end. 'kintsugi verify' checks all.
func (h *Health) chains(ctx context.Context) Check {
	var streams []string
	looked := 0
	for record, err := range h.Log.AllBackward(ctx, eventlog.End, eventlog.Everything) {
		if err != nil {
			return fail("Run 'kintsugi verify': it says which event cannot be read.", "The newest events cannot be read: %v", err)
		}
		if looked++; looked > chainsLooked {
			break
		}
		if domain.OwnStream(record.Stream) && !slices.Contains(streams, record.Stream) {
			streams = append(streams, record.Stream)
		}
	}
	verifier := hashchain.Verifier{AllowErased: true}
	checked, whole := 0, 0
	for _, stream := range streams {
		if checked > chainsEvents {
			break
		}
		for record, err := range h.Log.Stream(ctx, stream, 0) {
			if err == nil {
				err = verifier.Check(record)
			}
			if err != nil {
				return fail("Run 'kintsugi verify': it says what differs. Do not write to it before you have a copy.", "The stream %s is not as it was recorded: %v", stream, err)
			}
			checked++
		}
		whole++
	}
	return well("Of the streams, those that were written last are whole (streams: %d, events: %d).", whole, checked)
}

// How far clocks may be apart: leases of runs are half a minute.
const (
	skewNoticed = 2 * time.Second
	skewTooMuch = 10 * time.Second
)

// clock compares this machine's with that of the store, where it has one, and with what other nodes recorded.
func (h *Health) clock(ctx context.Context) Check {
	skew, beside := time.Duration(0), "the newest event, which is not after now"
	if store, has := h.Log.Log.(interface {
		Clock(ctx context.Context) (time.Time, error)
	}); has {
		before := h.Now()
		there, err := store.Clock(ctx)
		if err != nil {
			return unanswered(err)
		}
		after := h.Now()
		skew, beside = before.Add(after.Sub(before)/2).Sub(there), "the store's"
	} else {
		for record, err := range h.Log.AllBackward(ctx, eventlog.End, eventlog.Everything) {
			if err != nil {
				return unanswered(err)
			}
			if ahead := h.Now().Sub(record.RecordedAt); ahead < 0 {
				skew = ahead
			}
			break
		}
	}
	const do = "Have the clocks of all machines set by NTP (timedatectl): schedules, leases and signatures follow them."
	switch seen := fmt.Sprintf("This machine's clock is %s off beside %s.", skew.Round(time.Millisecond), beside); {
	case skew.Abs() > skewTooMuch:
		return fail(do, "%s", seen)
	case skew.Abs() > skewNoticed:
		return warn(do, "%s", seen)
	default:
		return well("%s", seen)
	}
}

// viewsLag is how far views may be behind while a server follows.
const viewsLag = 10_000

func (h *Health) views(ctx context.Context) Check {
	all, err := h.Generations.List(ctx)
	if err != nil {
		return unanswered(err)
	}
	at := slices.IndexFunc(all, func(one readmodel.Generation) bool { return one.Current })
	const build = "A server of this version builds them, and so does 'kintsugi projection build --once'; runs go on meanwhile."
	if at < 0 {
		return warn(build, "There are no views of this version of the program yet.")
	}
	one := all[at]
	seen := fmt.Sprintf("The set of lists in use is %s, %d events behind the log.", one.State, one.Behind)
	switch {
	case one.State == readmodel.StateDamaged:
		return fail("Start the server: it makes them again from the log, and nothing is lost.", "%s %s", seen, one.Error)
	case one.State == readmodel.StateBuilding:
		return warn(build, "%s", seen)
	case one.Behind > viewsLag:
		return warn(build+" If a server runs and does not catch up, see its log.", "%s", seen)
	case one.Error != "":
		return warn(build, "%s %s", seen, one.Error)
	}
	return well("%s", seen)
}

func (h *Health) quarantine(ctx context.Context) Check {
	aside, err := h.Views.Aside(ctx)
	if err != nil {
		return unanswered(err)
	}
	if len(aside) == 0 {
		return well("Every stream can be read.")
	}
	names := make([]string, len(aside))
	for i, one := range aside {
		names[i] = fmt.Sprintf("%s from revision %d", one.Stream, one.Revision)
	}
	return fail("Run 'kintsugi projection list' and 'kintsugi verify'. A newer program wrote it: update. It was changed: restore it from a backup.",
		"%d streams cannot be read and are set aside: %s.", len(aside), brief(names))
}

// shownOf is how many of a list are named.
const shownOf = 5

func brief(names []string) string {
	if len(names) > shownOf {
		return strings.Join(names[:shownOf], ", ") + fmt.Sprintf(" and %d more", len(names)-shownOf)
	}
	return strings.Join(names, ", ")
}

func (h *Health) secrets(ctx context.Context) Check {
	vault, err := h.Secrets.filled(ctx)
	if err == nil && vault == nil {
		return well("There are no secrets.")
	}
	if err == nil {
		err = vault.Check(ctx)
	}
	if err != nil {
		return fail("Give this node the key that the secrets were set with: "+SecretKeyEnv+", or the file that "+secretKeyFileEnv+" names. Else set them again.",
			"The secrets do not open: %v", err)
	}
	return well("The key is readable and opens all secrets.")
}

func modelCheck(ctx context.Context, options ModelOptions, online bool) Check {
	const see = "'kintsugi llm check' says more."
	if options.Model == "" {
		return warn("Name one with --model, if agents are to write and mend scripts; the templates mend without one.", "No language model is configured.")
	}
	client, err := options.Client()
	if err != nil {
		return fail(see, "The language model is not configured as it must be: %v", err)
	}
	if !online {
		return well("%s at %s is configured; with --online it is asked.", client.Name(), client.BaseURL())
	}
	began := time.Now()
	if _, err := client.Chat(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Answer with the one word: ready"}}, Temperature: 0.1}); err != nil {
		return fail(see, "%s at %s gives no answer: %v", client.Name(), client.BaseURL(), err)
	}
	return well("%s at %s answered in %s.", client.Name(), client.BaseURL(), time.Since(began).Round(time.Millisecond))
}

func (h *Health) server(context.Context) Check {
	lock, err := LockServer(h.Dir, "kintsugi doctor")
	held, is := errors.AsType[*HeldError](err)
	switch {
	case is && held.Holder.Full:
		return fail("Make room: the server goes on by itself.", "The server of this directory, process %d on %s, cannot write: the disk is full.", held.Holder.PID, held.Holder.Host)
	case is:
		return well("A server is at work in this directory: %s, process %d on %s, since %s.", held.Holder.Command, held.Holder.PID, held.Holder.Host, held.Holder.Since.In(h.Now().Location()).Format(time.DateTime))
	case err != nil:
		return unanswered(err)
	}
	if err := lock.Release(); err != nil {
		return unanswered(err)
	}
	return warn("Start 'kintsugi dev' or 'kintsugi serve': without one nothing is scheduled, tried again or delivered.", "No server runs in this directory.")
}

// runsLooked is how many runs of a status are looked at.
const runsLooked = 200

// leases says which nodes work, and which have stopped to give a sign of life.
func (h *Health) leases(ctx context.Context) Check {
	nodes, err := h.Nodes(ctx)
	if err != nil {
		return unanswered(err)
	}
	claimed, working, late := 0, 0, []string{}
	for _, one := range nodes {
		for _, what := range one.Late {
			late = append(late, fmt.Sprintf("%s of node %s", what, one.Name))
		}
		if claimed += one.Runs + one.Agents; one.Runs+one.Agents > 0 {
			working++
		}
	}
	switch {
	case len(late) > 0:
		return warn("A server takes them over by itself: is there one? Its log says why, if it does not.", "%d leases are over, and their nodes give no sign of life: %s.", len(late), brief(late))
	case claimed == 0:
		return well("No run and no agent is under way.")
	}
	return well("%d runs and agents are under way, on %d nodes.", claimed, working)
}

// lateStart is after how long a run that was admitted should have begun.
const lateStart = 10 * time.Minute

// heldUp are runs that will not go on by themselves.
func (h *Health) heldUp(ctx context.Context) Check {
	doubtful, err := h.Queries.Runs(ctx, projections.RunFilter{Status: projections.RunInDoubt, Limit: runsLooked})
	if err != nil {
		return unanswered(err)
	}
	admitted, err := h.Queries.Runs(ctx, projections.RunFilter{Status: projections.RunAdmitted, Limit: runsLooked})
	if err != nil {
		return unanswered(err)
	}
	admitted = slices.DeleteFunc(admitted, func(one projections.Run) bool { return h.Now().Sub(one.Admitted) < lateStart })
	unfinished, err := h.Queries.Notifications(ctx, projections.NotificationFilter{Type: projections.NotifyUnfinished, Open: true, Limit: runsLooked})
	if err != nil {
		return unanswered(err)
	}
	switch {
	case len(doubtful) > 0:
		return warn("'kintsugi effect list' shows the writes; 'kintsugi effect resolve' says what became of each.", "Nobody knows what became of a write, so this stands still: %s.", countedRuns(doubtful))
	case len(unfinished) > 0:
		return warn("'kintsugi notification list' shows them: continue, restart or leave each.", "Stopped half done: %s.", countedRuns(unfinished))
	case len(admitted) > 0:
		return warn("Is there a server, and is it up to its work? See its log.", "Admitted more than %s ago and not begun: %s.", lateStart, countedRuns(admitted))
	}
	return well("No run is held up.")
}

func countedRuns[T any](runs []T) string {
	if len(runs) == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", len(runs))
}

func (h *Health) subscriptions(ctx context.Context) Check {
	all, err := h.Subscriptions.List(ctx)
	if err != nil {
		return unanswered(err)
	}
	var troubled, lost []string
	for _, one := range all {
		switch {
		case one.State == lostPlace:
			lost = append(lost, one.Name)
		case one.DeadLetters > 0:
			troubled = append(troubled, fmt.Sprintf("%s has %d dead letters", one.Name, one.DeadLetters))
		case one.LastError != "":
			troubled = append(troubled, fmt.Sprintf("%s is %d events behind: %s", one.Name, one.Lag, one.LastError))
		}
	}
	if len(lost) > 0 {
		return fail("'kintsugi subscription replay NAME --from WHEN' has each begin where you say: start, a time or a position.",
			"Nothing is delivered to %d of %d subscriptions, as where they were is not in this log, which was restored or is another one: %s.", len(lost), len(all), brief(lost))
	}
	if len(troubled) > 0 {
		return warn("'kintsugi subscription show' and 'kintsugi subscription test' say more; 'kintsugi subscription dead-letters' retries or drops.",
			"%d of %d subscriptions are in trouble: %s.", len(troubled), len(all), brief(troubled))
	}
	return well("%d subscriptions, none in trouble.", len(all))
}
