package tool

import (
	"bytes"
	"encoding/json"
	"net/http"
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
// for the script to mend. A page that came with the success of a read is a trouble only to a script that
// expected data; one that came with that of a write changes nothing about the write.
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
	case !a.ok() || asked.write:
	case !isHTML(a):
		if isTorn(a) || a.status == http.StatusOK && len(bytes.TrimSpace(a.body)) == 0 {
			class, code = sandbox.ClassNetwork, CodeTorn
		}
	case isLoginPage(a.body):
		class, code = sandbox.ClassAuth, CodeLoginPage
	default:
		class, code = sandbox.ClassNetwork, CodeNotData
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

// Refused says that a result which a script got says of a trouble that may pass, and that nothing was done:
// the call can be made again. Of env only what a workflow was set up with is needed.
func Refused(env *Env, call sandbox.Call, result json.RawMessage) bool {
	t := Of(call.Tool)
	if t.Request == nil || t.Judge == nil {
		return false
	}
	judged := t.Judge(call.Args, result)
	return judged != nil && !env.leavesOpen(t.Request.request(call.Args), judged.Status)
}
