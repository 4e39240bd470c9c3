package hostcall

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// judgeEmpty says of a read that is answered with nothing that this may be a moment's trouble: it counts if the script
// fails of it. A null that was answered is a value.
func (r *Request) judgeEmpty(args, result json.RawMessage) *sandbox.Error {
	asked := r.request(args)
	if asked == nil || asked.write || len(result) > 0 {
		return nil
	}
	judged := &sandbox.Error{Class: sandbox.ClassNetwork, Code: CodeTorn}
	describe(judged, asked, &answer{status: http.StatusOK, header: http.Header{}}, time.Time{})
	return judged
}

// judge says of whatever answer there was what the other web tools would have thrown, if that is not
// for the script to mend. An answer that came with a success is a trouble only to a script that expected data.
func (r *Request) judge(args, result json.RawMessage) *sandbox.Error {
	var got struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	if json.Unmarshal(result, &got) != nil {
		return nil
	}
	a := &answer{status: got.Status, header: http.Header{}, body: []byte(got.Body)}
	for name, value := range got.Headers {
		a.header.Set(name, value)
	}
	asked := r.request(args)
	if asked == nil {
		return nil
	}
	class, code := sandbox.ClassLogic, ""
	switch {
	case a.status >= http.StatusBadRequest:
		class, code = classifyStatus(a)
	case !a.ok():
	case isHTML(a) && isLoginPage(a.body):
		class, code = sandbox.ClassAuth, CodeLoginPage
	case asked.write && (isHTML(a) || isCut(a)):
		class, code = sandbox.ClassNetwork, CodeIndeterminate
	case asked.write:
	case isHTML(a) && !namesData(asked.url):
		class, code = sandbox.ClassNetwork, CodeNotData
	case isHTML(a), isTorn(a), a.status == http.StatusOK && len(bytes.TrimSpace(a.body)) == 0:
		class, code = sandbox.ClassNetwork, CodeTorn
	}
	if class == sandbox.ClassLogic {
		return nil
	}
	judged := &sandbox.Error{Class: class, Code: code}
	// When it was answered only the other side's clock tells; without it a moment to wait for says nothing.
	answered, err := http.ParseTime(a.header.Get("Date"))
	if err != nil {
		answered = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	describe(judged, asked, a, answered)
	return judged
}

// dataNames are how names of files end that are no web pages.
var dataNames = []string{".json", ".ndjson", ".jsonl", ".xml", ".rss", ".atom", ".csv", ".tsv", ".txt", ".ics"}

// namesData says that an address is by its name one of data: a page there is no answer, whatever the script reads it with.
func namesData(address string) bool {
	u, err := parseURL(address)
	return err == nil && slices.Contains(dataNames, strings.ToLower(path.Ext(u.Path)))
}

// request is that of a call with these arguments, as far as it is needed to judge its answer; nil if it makes none.
func (r *Request) request(args json.RawMessage) *request {
	address, o, fault := r.read(args)
	if fault != nil {
		return nil
	}
	made := &request{url: address, method: o.method(r.Method)}
	made.write = o.effect(made.method) == sandbox.Write
	return made
}

// Judged says what an answer that a script got is about, see [Tool.Judge]; nil if it is for the script to get right.
func Judged(call sandbox.Call, result json.RawMessage) *sandbox.Error {
	if t := Of(call.Tool); t.Request != nil && t.Judge != nil {
		return t.Judge(call.Args, result)
	}
	return nil
}

// Refused says that a result which a script got says of a trouble that may pass, and that nothing was done:
// the call can be made again. Only what a workflow was set up with is needed of env. A success of a write
// is the answer that the script wanted, unless it failed of it.
func Refused(env *Env, call sandbox.Call, result json.RawMessage) bool {
	judged := Judged(call, result)
	if judged == nil {
		return false
	}
	asked := Of(call.Tool).Request.request(call.Args)
	return (!asked.write || judged.Status >= http.StatusBadRequest) && !env.leavesOpen(asked, judged.Status)
}
