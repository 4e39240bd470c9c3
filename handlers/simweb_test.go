package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// The hosts of the simulated world. The safe one tells a repeated write by its key.
const (
	plainHost = "plain.test"
	safeHost  = "safe.test"
)

// simWeb is the world around the scripts: two hosts, whose answers change their shape, who cannot be
// reached for a while, who ask for another password, who are slow, and who take a write and do not
// say so. It keeps account of every write.
type simWeb struct {
	sim *sim

	mu     sync.Mutex
	calm   bool
	level  map[string]int       // by path: in which field the answer has its value
	downs  map[string]time.Time // by host: until when it cannot be reached
	locked map[string]bool      // by host: the password is wrong
	number int                  // of requests
	writes map[writeID]*arrived
}

// writeID is what the script means by a write, whatever key it carries: the order is drawn from
// the seed of a chain of runs, so that all its runs have the same, or it is the next one after a
// cursor that the workflow keeps.
type writeID struct {
	path  string
	order int64
}

// arrived is what a host has of a write.
type arrived struct {
	taken int            // how often it was acted on
	keys  map[string]int // how often with each key
}

func newSimWeb(s *sim) *simWeb {
	return &simWeb{sim: s, level: map[string]int{}, downs: map[string]time.Time{}, locked: map[string]bool{}, writes: map[writeID]*arrived{}}
}

// simCode is a script that knows these fields of the answers. With a cursor it keeps in a key which
// order it filed last, and files the next.
func simCode(a, b []int, cursor bool) string {
	order, done := "Math.floor(Math.random() * 1e15)", ""
	if cursor {
		order, done = "((await kv.get('cursor')) ?? 0) + 1", "await kv.set('cursor', order);"
	}
	return fmt.Sprintf(`async function main(input) {
  const order = %[5]s;
  const a = await web.getJSON('https://%[1]s/a');
  const first = %[3]s.value;
  await web.postJSON('https://%[1]s/one', { order: order, v: first });
  const b = await web.getJSON('https://%[1]s/b');
  const second = %[4]s.value;
  await web.postJSON('https://%[2]s/two', { order: order, v: second });
  await web.postJSON('https://%[1]s/three', { order: order, v: first + second });
  %[6]s
  return { first: first, second: second };
}`, plainHost, safeHost, fieldsOf("a", a), fieldsOf("b", b), order, done)
}

// fieldsOf is the expression that finds a value in any of the fields.
func fieldsOf(name string, levels []int) string {
	var fields []string
	for _, level := range levels {
		fields = append(fields, fmt.Sprintf("%s.p%d", name, level))
	}
	return "(" + strings.Join(fields, " ?? ") + ")"
}

// live is the Outside of a node. A host without keys is a rehearsal's, which may not write.
func (w *simWeb) live(life *simLife) egress.Outside {
	return func(env *hostcall.Env) egress.Live { return &simHost{web: w, life: life, env: env} }
}

type simHost struct {
	web  *simWeb
	life *simLife
	env  *hostcall.Env
}

func (h *simHost) Close() {}

// Call implements [sandbox.Host].
func (h *simHost) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if declared, known := hostcall.Lookup(call.Tool); known && declared.Local {
		return hostcall.ApplyLocal(h.env.State, call, time.Now().UnixMilli()), nil
	}
	began := time.Now()
	reply, err := h.web.call(ctx, h, call)
	if reply.Error != nil {
		reply.Error.Tool = call.Tool
	}
	reply.MS = time.Since(began).Milliseconds()
	return reply, err
}

func (w *simWeb) call(ctx context.Context, h *simHost, call sandbox.Call) (sandbox.Reply, error) {
	var args []json.RawMessage
	var address string
	if json.Unmarshal(call.Args, &args) != nil || len(args) == 0 || json.Unmarshal(args[0], &address) != nil {
		return sandbox.Reply{}, fmt.Errorf("the simulated web does not know %s %s", call.Tool, call.Args)
	}
	at, err := url.Parse(address)
	if err != nil {
		return sandbox.Reply{}, err
	}
	write := call.Effect == sandbox.Write
	if write && h.env.Key == nil {
		w.sim.violated("a rehearsal sent the write %s", call.Args)
	}
	w.mu.Lock()
	w.number++
	roll := w.sim.roll("web", w.number)
	calm := w.calm
	w.mu.Unlock()
	there, back := latency(roll), latency(roll.next())
	if calm {
		there, back = 0, 0
	}
	if !write {
		there, back = there/4, back/4
	}
	if cut := wait(ctx, there); cut != nil {
		if write && roll.one(2) {
			w.take(at, args, h, call) // it was on its way
		}
		return sandbox.Reply{}, cut
	}
	fault := w.trouble(at, roll, calm)
	if fault != nil && fault.Class != "" {
		return sandbox.Reply{Error: fault}, nil
	}
	result := json.RawMessage(`{"ok":true}`)
	if write {
		// If a gateway answers, nobody knows whether the request came to the host.
		if gateway := fault != nil && fault.Status == 502; !gateway || roll.one(2) {
			w.take(at, args, h, call)
		}
	} else {
		w.mu.Lock()
		result = fmt.Appendf(nil, `{"p%d":{"value":%d}}`, w.level[at.Path], 1+w.number%7)
		w.mu.Unlock()
	}
	if cut := wait(ctx, back); cut != nil {
		return sandbox.Reply{}, cut
	}
	if fault != nil { // it may have taken the request and does not say so
		fault.Class, fault.Name = sandbox.ClassNetwork, "NetworkError"
		if write {
			fault.Code = hostcall.CodeIndeterminate
		}
		return sandbox.Reply{Error: fault}, nil
	}
	return sandbox.Reply{Result: result}, nil
}

// latency is mostly short and sometimes longer than a lease.
func latency(r roll) time.Duration {
	switch {
	case r.one(12):
		return time.Duration(r.next().n(50_000)) * time.Millisecond
	case r.one(3):
		return time.Duration(r.next().n(3_000)) * time.Millisecond
	}
	return time.Duration(r.next().n(50)) * time.Millisecond
}

// trouble is the error of a request before it is acted on; one without a class comes after.
func (w *simWeb) trouble(at *url.URL, roll roll, calm bool) *sandbox.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	fault := &sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Host: at.Hostname(), Message: at.Path + ": connection refused"}
	r := roll.next().next().next()
	switch {
	case w.locked[at.Hostname()]:
		fault.Class, fault.Name, fault.Status, fault.Message = sandbox.ClassAuth, "AuthError", 401, at.Path+": status 401"
	case calm:
		return nil
	case w.downs[at.Hostname()].After(time.Now()), r.one(40):
	case r.next().one(60):
		fault.Status, fault.Message, fault.RetryAfterMS = 503, at.Path+": status 503", int64(r.n(600_000))
	case r.next().next().one(50):
		fault.Class, fault.Message = "", at.Path+": connection reset"
		if r.one(2) {
			fault.Status, fault.Message = 502, at.Path+": status 502"
		}
	case r.next().next().next().one(300):
		fault.Class, fault.Name, fault.Status, fault.Message = sandbox.ClassPermission, "PermissionError", 403, at.Path+": status 403"
	default:
		return nil
	}
	return fault
}

// take lets a host act on a write, and holds that no host acts on one twice.
func (w *simWeb) take(at *url.URL, args []json.RawMessage, h *simHost, call sandbox.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of(idOf(at, args))
	key := ""
	if h.env.Key != nil {
		key = h.env.Key(call)
	}
	if w.sim.bug == ownKeys {
		key += strconv.Itoa(w.number)
	}
	if key == "" {
		w.sim.violated("the write %s has no key", call.Args)
	}
	if at.Hostname() != safeHost || one.keys[key] == 0 {
		one.taken++
		one.keys[key]++
	}
	// A person's decision about a half-done run may file an order under another key: see [ledger.keys].
	if one.taken > 1 && !w.sim.cursor || one.keys[key] > 1 {
		w.sim.violated("the write %s happened %d times, the last by %s", call.Args, one.taken, h.life.name)
	}
}

func (w *simWeb) of(id writeID) *arrived {
	if w.writes[id] == nil {
		w.writes[id] = &arrived{keys: map[string]int{}}
	}
	return w.writes[id]
}

// happened is the truth about a write, for checks and lookups.
func (w *simWeb) happened(callArgs json.RawMessage) bool {
	var args []json.RawMessage
	var address string
	if json.Unmarshal(callArgs, &args) != nil || json.Unmarshal(args[0], &address) != nil {
		return false
	}
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	one, there := w.writes[idOf(at, args)]
	return there && one.taken > 0
}

func idOf(at *url.URL, args []json.RawMessage) writeID {
	var body struct{ Order int64 }
	if len(args) > 1 {
		_ = json.Unmarshal(args[1], &body) // without an order it is of none
	}
	return writeID{at.Path, body.Order}
}

// drift has the answers of a path have their value in another field from now on.
func (w *simWeb) drift(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.level[path]++
}

func (w *simWeb) lock(host string, wrong bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.locked[host] = wrong
}

func (w *simWeb) down(host string, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.downs[host] = until
}

// code is the script that a person writes who has looked at the answers.
func (w *simWeb) code() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return simCode([]int{w.level["/a"]}, []int{w.level["/b"]}, w.sim.cursor)
}

func (w *simWeb) pacify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calm, w.locked = true, map[string]bool{}
}

// wait waits for virtual time to pass, unless ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
