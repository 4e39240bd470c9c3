package api

import (
	"context"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// OfStream names a stream of the log.
type OfStream struct {
	Stream string `path:"stream" maxLength:"300" doc:"workflow-ID, run-ID, thread-ID, account-OWNER, subscription-NAME, or admin"`
}

// StreamPage is a part of a stream, the newest first.
type StreamPage struct {
	Stream string            `json:"stream"`
	Last   int64             `json:"last" doc:"The revision of the newest event"`
	Items  []app.HistoryLine `json:"items" nullable:"false"`
	Next   string            `json:"next,omitempty" doc:"Give it as after, to have those before"`
}

// sees says whether the caller may see what is of a subject: of workflows those whose workflow they see, and the rest
// for those who look after the installation.
func (s *Server) sees(ctx context.Context) func(subject string) bool {
	known := map[string]bool{}
	c := callOf(ctx)
	return func(subject string) bool {
		may, is := known[subject]
		if !is {
			if of, isWorkflow := strings.CutPrefix(subject, workflow.SubjectPrefix); isWorkflow {
				may = c.Owner == "" || s.workflow(ctx, of) == nil
			} else {
				may = c.Owner == "" && c.Allows(installation.Admin)
			}
			known[subject] = may
		}
		return may
	}
}

// ofStream is the revision of the newest event of a stream that the caller may see.
func (s *Server) ofStream(ctx context.Context, stream string) (int64, error) {
	newest, err := s.node.History.End(ctx, stream)
	if err != nil {
		return 0, err
	}
	switch c := callOf(ctx); {
	case s.sees(ctx)(newest.Metadata.Subject):
		return newest.Revision, nil
	case strings.HasPrefix(newest.Metadata.Subject, workflow.SubjectPrefix):
		return 0, fault.New(fault.NotFound, "there is no stream %q that you see", stream)
	default:
		if err := wholeInstallation(c); err != nil {
			return 0, err
		}
		return 0, fault.New(fault.Forbidden, "stream %s is of the whole installation: it takes the scope %s", stream, installation.Admin)
	}
}

// streamPage are events of a stream before a revision, 0 for the end.
func (s *Server) streamPage(ctx context.Context, stream string, last, before int64, limit int) (shown StreamPage, err error) {
	from := last
	if before > 0 {
		from = min(last, before-1)
	}
	shown = StreamPage{Stream: stream, Last: last}
	if shown.Items, err = s.node.History.Before(ctx, stream, from, limit); err != nil {
		return shown, err
	}
	if n := len(shown.Items); n > 0 && shown.Items[n-1].Revision > 0 {
		shown.Next = strconv.FormatInt(shown.Items[n-1].Revision, 10)
	}
	return shown, nil
}

// streams has the log as it is: for whoever wants to see what lies under everything else.
func (s *Server) streams() {
	query(s, op{path: "/recorded", id: "listRecorded", summary: "Events of all streams that you see, the newest first", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Kind string   `query:"kind" enum:"workflow,run,thread,account,subscription,plan,session,admin" doc:"Only those of streams of this kind"`
			Type []string `query:"type" maxItems:"20" doc:"Only those of these types"`
		}) (Page[app.HistoryLine], error) {
			filter := eventlog.Filter{Types: in.Type}
			switch in.Kind {
			case "":
			case installation.Stream:
				filter.StreamPrefixes = []string{in.Kind}
			default:
				filter.StreamPrefixes = []string{in.Kind + "-"}
			}
			for _, one := range in.Type {
				if s.node.Codec.Version(one) == 0 {
					return Page[app.HistoryLine]{}, fault.New(fault.Invalid, "there is no type of event %q: see docs/events.md", one)
				}
			}
			var before eventlog.Position
			if in.After != "" {
				var err error
				if before, err = s.position(ctx, in.After); err != nil {
					return Page[app.HistoryLine]{}, err
				}
			}
			lines, next, err := s.node.History.Newest(ctx, before, filter, in.Limit, s.sees(ctx))
			return Page[app.HistoryLine]{Items: lines, Next: next}, err
		})
	query(s, op{path: "/streams/{stream}", id: "getStream", summary: "The events of one stream, the newest first", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfStream
			Limit int   `query:"limit" minimum:"1" maximum:"500" default:"100"`
			After int64 `query:"after" minimum:"0" doc:"A revision: the events before it"`
		}) (StreamPage, error) {
			last, err := s.ofStream(ctx, in.Stream)
			if err != nil {
				return StreamPage{}, err
			}
			return s.streamPage(ctx, in.Stream, last, in.After, in.Limit)
		})
	query(s, op{path: "/streams/{stream}/moment", id: "getStreamMoment", summary: "What the events of a stream came to at one of them, and before it", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfStream
			At int64 `query:"at" required:"true" minimum:"0" doc:"A revision of the stream"`
		}) (app.StreamMoment, error) {
			if _, err := s.ofStream(ctx, in.Stream); err != nil {
				return app.StreamMoment{}, err
			}
			return s.node.History.Moment(ctx, in.Stream, in.At)
		})
	query(s, op{path: "/streams/{stream}/chain", id: "verifyStream", summary: "Check the hash chain of a stream: 409 says where it is broken", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *OfStream) (Chains, error) {
			if _, err := s.ofStream(ctx, in.Stream); err != nil {
				return Chains{}, err
			}
			return Chains{Whole: true, Streams: []string{in.Stream}}, s.node.History.VerifyChains(ctx, []string{in.Stream})
		})
}
