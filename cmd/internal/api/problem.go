package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Problem is an error as RFC 9457 has it. Its detail is what the command line says.
type Problem struct {
	Type   string `json:"type" format:"uri-reference" example:"about:blank"`
	Title  string `json:"title" doc:"What the status means"`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"What is wrong, where, and what to do"`
	// Kind is why it was refused, for programs.
	Kind fault.Kind `json:"kind,omitempty" enum:"invalid,conflict,not_found,forbidden,internal"`
	// Revision is where the stream is, of a write by somebody who had not seen that.
	Revision *int64              `json:"revision,omitempty" doc:"With 412: the revision that the stream is at"`
	Errors   []*huma.ErrorDetail `json:"errors,omitempty" doc:"Each thing that is wrong with the request"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus implements [huma.StatusError].
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements [huma.ContentTypeFilter].
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func problem(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// newProblem is of what huma finds wrong with a request.
func newProblem(status int, message string, errs ...error) huma.StatusError {
	p := problem(status, "%s", message)
	if status < http.StatusInternalServerError {
		p.Kind = fault.Invalid
	}
	for _, err := range errs {
		if detailed, is := err.(huma.ErrorDetailer); is {
			detail := *detailed.ErrorDetail()
			detail.Value = nil // it may be a secret, and it may be long
			p.Errors = append(p.Errors, &detail)
			p.Detail += "; " + detail.Location + ": " + detail.Message
		} else if err != nil {
			p.Errors = append(p.Errors, &huma.ErrorDetail{Message: err.Error()})
			p.Detail += "; " + err.Error()
		}
	}
	return p
}

// statuses are what the kinds of refusal come to.
var statuses = map[fault.Kind]int{
	fault.Invalid: http.StatusUnprocessableEntity, fault.Conflict: http.StatusConflict,
	fault.NotFound: http.StatusNotFound, fault.Forbidden: http.StatusForbidden,
}

// problemOf says an error to whom it concerns. Callers hear only that one of our own faults occurred; the operator's log
// has what it was.
func (s *Server) problemOf(ctx context.Context, operation string, err error) error {
	if _, already := errors.AsType[*Problem](err); already {
		return err
	}
	if stale, is := errors.AsType[*commands.StaleError](err); is {
		p := problem(http.StatusPreconditionFailed, "%s", stale)
		p.Kind, p.Revision = fault.Conflict, &stale.Current
		return p
	}
	if broken, is := errors.AsType[*app.IntegrityError](err); is {
		p := problem(http.StatusConflict, "%s", broken)
		p.Kind = fault.Conflict
		return p
	}
	kind := fault.KindOf(err)
	if status, known := statuses[kind]; known {
		p := problem(status, "%s", err)
		p.Kind = kind
		return p
	}
	lag, lags := errors.AsType[*readmodel.LagError](err)
	busy, isBusy := errors.AsType[*sandbox.UnavailableError](err)
	building, builds := errors.AsType[*readmodel.BuildingError](err)
	switch {
	case isBusy:
		return huma.ErrorWithHeaders(problem(http.StatusServiceUnavailable, "%s", app.NotFinished(busy)), http.Header{"Retry-After": {"5"}})
	case builds:
		return huma.ErrorWithHeaders(problem(http.StatusServiceUnavailable, "%s", building), http.Header{"Retry-After": {"1"}})
	case lags:
		return huma.ErrorWithHeaders(problem(http.StatusServiceUnavailable, "%s", lag), http.Header{"Retry-After": {"1"}})
	case errors.Is(err, eventlog.ErrUnavailable):
		return huma.ErrorWithHeaders(problem(http.StatusServiceUnavailable, "the store cannot be reached for now. If this was a write, it may have been taken: "+
			"send it again with the same key, which repeats nothing"), http.Header{"Retry-After": {"5"}})
	case errors.Is(err, context.Canceled):
		return problem(http.StatusServiceUnavailable, "the request was given up, or the server stops: ask again")
	case errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusGatewayTimeout, "the answer took too long: ask again, with the same Idempotency-Key if it was a write")
	case errors.Is(err, eventlog.ErrFull), sqlitedb.IsFull(err):
		return problem(http.StatusInsufficientStorage, "the disk is full. Nothing that was acknowledged is lost. A write may have been taken all the same: free some space, and send it again "+
			"with the same key (Idempotency-Key, or the input's key), which repeats nothing; without one, look first")
	}
	s.logger.LogAttrs(ctx, slog.LevelError, "a request failed", slog.String("operation", operation), slog.Any("error", err))
	p := problem(http.StatusInternalServerError, "the server failed at it: its log says how. Nothing that was acknowledged is lost")
	p.Kind = fault.Internal
	return p
}

// refuse answers with a problem where no operation is reached.
func refuse(w http.ResponseWriter, r *http.Request, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_ = writeJSON(w, problem(status, format, args...)) // there is nobody else to tell
	}
}

// jsonFormat writes JSON as the command line does: signs of HTML stay what they are.
var jsonFormat = huma.Format{
	Marshal:   writeJSON,
	Unmarshal: json.Unmarshal,
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
