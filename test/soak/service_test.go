package soak_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// trouble is a way in which a service fails for a moment.
type trouble string

const (
	none        trouble = ""
	unavailable trouble = "503"
	internal    trouble = "500"
	gateway     trouble = "502"
	late        trouble = "504"
	limited     trouble = "429"
	timeout     trouble = "408"
	reset       trouble = "reset"             // the connection breaks before there is an answer
	cut         trouble = "cut"               // the answer ends in the middle
	brief       trouble = "brief"             // the answer is whole by its length, and half of the text
	empty       trouble = "empty"             // 200 and nothing
	page        trouble = "page"              // a web page in the place of the answer
	pieces      trouble = "pieces"            // it comes in two pieces, and is right
	silent      trouble = "silent"            // there is never an answer
	lostSilent  trouble = "done, then silent" // the write is made, and there is never an answer
	lostReset   trouble = "done, then reset"  // the write is made, and the answer is lost
	lostGateway trouble = "done, then 502"    // the write is made, and what is between says that it does not know
	lostPage    trouble = "done, then a page" // the write is made, and a web page answers
	lostBrief   trouble = "done, then half"   // the write is made, and half of the answer's text comes
)

// Reads leave nothing open; the first five of writes say that nothing was done, and the others say nothing.
var (
	ofReads  = []trouble{unavailable, internal, gateway, late, limited, timeout, reset, cut, pieces}
	ofWrites = []trouble{unavailable, limited, timeout, pieces, unavailable, reset, gateway, late, lostReset, lostGateway, lostPage, lostBrief}
)

// garbageOf is what may stand in the place of an answer for a moment so that it can be seen to be none: half of a table is a
// table, and a web page is what who reads web pages expects.
func garbageOf(kind string) []trouble {
	switch {
	case strings.Contains(kind, "json") && !strings.Contains(kind, "nd"):
		return []trouble{brief, empty, page}
	case strings.Contains(kind, "xml"), strings.Contains(kind, "rss"):
		return []trouble{brief, page}
	case strings.Contains(kind, "csv"):
		return []trouble{page}
	}
	return nil
}

// plain is what the plain execution of a script in Node made of its days.
type plain struct {
	Days   []plainDay                 `json:"days"`
	Hooked bool                       `json:"hooked"`
	KV     map[string]json.RawMessage `json:"kv"`
	Files  map[string]string          `json:"files"`
}

type plainDay struct {
	Served map[string]answer `json:"served"`
	Runs   []plainRun        `json:"runs"`
}

type plainRun struct {
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	Writes []write         `json:"writes"`
	Notes  [][2]string     `json:"notes"`
	Asks   [][2]string     `json:"asks"`
}

type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

type write struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body"`
	Answer string `json:"answer"`
}

func (w write) String() string { return w.Method + " " + w.Path + " " + w.Body }

// service is the outside of all scripts: it answers as Node was answered, has its troubles, and keeps what was written.
type service struct {
	seed    uint64
	percent uint64 // of requests that meet a trouble
	plain   map[string]plain
	bounded map[string]bool // scripts that say how long they wait for an answer

	mu    sync.Mutex
	day   int
	asked map[string]int      // how often, by day, script and request
	made  map[string][]string // writes that were made, by script, with the day
	keys  map[string]string   // answers to writes that were made, by script and key
	wrong []string            // what nobody would have asked in Node
	seen  map[trouble]int
}

func (s *service) roll(parts ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, s.seed)
	for _, part := range parts {
		_, _ = fmt.Fprint(h, " ", part)
	}
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) >> 1
}

// troubleOf is what happens to a request: most have no trouble, and a trouble is over after one or two times.
func (s *service) troubleOf(script, request string, isRead bool, kind string, asked int) trouble {
	roll := s.roll(script, s.day, request)
	if roll%100 >= s.percent || asked > 1+int(roll/100%2) {
		return none
	}
	list := ofWrites
	if isRead {
		list = slices.Concat(ofReads, garbageOf(kind))
	}
	if s.bounded[script] && isRead {
		list = append(slices.Clone(list), silent, silent)
	} else if s.bounded[script] {
		list = append(slices.Clone(list), silent, lostSilent, lostSilent)
	}
	return list[s.roll("kind", script, s.day, request, asked)%uint64(len(list))]
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	script, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	path = "/" + path
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	s.mu.Lock()
	today := s.plain[script].Days[s.day]
	key := path
	if len(body) > 0 {
		key += " " + string(body)
	}
	made, isRead := today.Served[key]
	request := r.Method + " " + key
	at := fmt.Sprint(s.day, script, request)
	s.asked[at]++
	trouble := s.troubleOf(script, request, isRead, made.Headers["content-type"], s.asked[at])
	s.seen[trouble]++
	if !isRead {
		made = s.written(script, write{Method: r.Method, Path: path, Body: string(body)}, r.Header.Get("Idempotency-Key"), trouble)
	}
	s.mu.Unlock()
	if trouble == silent || trouble == lostSilent {
		<-r.Context().Done()
		return
	}
	s.answer(w, made, trouble)
}

// written makes a write, once for each key, unless the trouble is in its way.
func (s *service) written(script string, one write, key string, trouble trouble) answer {
	if given, is := s.keys[script+" "+key]; is {
		return answer{Status: http.StatusOK, Body: given}
	}
	found := false
	for _, run := range s.plain[script].Days[s.day].Runs {
		for _, known := range run.Writes {
			if known.String() == one.String() {
				one.Answer, found = known.Answer, true
			}
		}
	}
	if !found {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: day %d: %s is not asked in Node", script, s.day, one))
		return answer{Status: http.StatusTeapot, Body: `{"error":"nobody asks that"}`}
	}
	switch trouble {
	case none, pieces, lostReset, lostGateway, lostPage, lostBrief, lostSilent, cut, brief, empty, page:
		s.made[script] = append(s.made[script], fmt.Sprint(s.day, " ", one))
		s.keys[script+" "+key] = one.Answer
	default:
	}
	return answer{Status: http.StatusOK, Headers: map[string]string{"content-type": "application/json"}, Body: one.Answer}
}

const outOfOrder = "<!doctype html><html><head><title>Back soon</title></head><body><h1>We are at work on it</h1></body></html>"

func (s *service) answer(w http.ResponseWriter, made answer, trouble trouble) {
	switch trouble {
	case reset, lostReset:
		hijacked, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		if tcp, is := hijacked.(*net.TCPConn); is {
			_ = tcp.SetLinger(0)
		}
		_ = hijacked.Close()
		return
	case unavailable, internal, gateway, late, limited, timeout:
		if trouble == limited || trouble == unavailable {
			w.Header().Set("Retry-After", "7")
		}
		var code int
		_, _ = fmt.Sscan(string(trouble), &code)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"error":"not now"}`)
		return
	case lostGateway:
		w.WriteHeader(http.StatusBadGateway)
		return
	case page, lostPage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, outOfOrder)
		return
	case empty:
		made.Body = ""
	case brief, lostBrief:
		made.Body = made.Body[:len(made.Body)/2]
	case none, cut, pieces:
	}
	for name, value := range made.Headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(made.Body)))
	w.WriteHeader(made.Status)
	if trouble == cut {
		made.Body = made.Body[:len(made.Body)/2]
	}
	if trouble == pieces {
		_, _ = io.WriteString(w, made.Body[:len(made.Body)/2])
		_ = http.NewResponseController(w).Flush() // who has gone does not wait
		made.Body = made.Body[len(made.Body)/2:]
	}
	_, _ = io.WriteString(w, made.Body)
}
