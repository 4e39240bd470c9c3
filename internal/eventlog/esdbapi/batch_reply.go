package esdbapi

import (
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// statusOf says an error as a reply of a batch does: by the type of its details.
func (s *Server) statusOf(err error) *pb.Status {
	if wrong, ok := errors.AsType[*wrongVersion](err); ok {
		return detailed(codes.AlreadyExists, wrong.Error(), "WrongExpectedVersion", wrong.detail())
	}
	f := s.faultOf(err)
	if f == nil {
		f = &fault{code: codes.Unknown, message: err.Error()}
	}
	text := strings.ToValidUTF8(f.message, "\uFFFD")
	switch {
	case f.exception == accessDenied:
		return detailed(f.code, text, "AccessDenied", &pb.Empty{})
	case f.exception == appendTooLarge:
		return detailed(f.code, text, "MaximumAppendSizeExceeded", &pb.MaximumAppendSizeExceeded{MaxAppendSize: eventlog.MaxAppendBytes})
	case f.code == codes.Aborted:
		return detailed(codes.DeadlineExceeded, text, "Timeout", &pb.Empty{})
	case f.code == codes.InvalidArgument:
		return detailed(f.code, text, "BadRequest", &pb.BadRequest{Message: text})
	}
	return detailed(f.code, text, "Unknown", &pb.Empty{})
}

// detailed names the details as the protocol does: our own package has another name.
func detailed(code codes.Code, message, name string, detail proto.Message) *pb.Status {
	value, err := proto.Marshal(detail)
	if err != nil {
		panic(err) // it is a message of our own making
	}
	return &pb.Status{Code: int32(code), Message: message, Details: &pb.Any{TypeUrl: "type.googleapis.com/event_store.client." + name, Value: value}}
}

// deadline is how long a write may take. Clients send a moment or a span; some send a span of years by mistake.
func (s *Server) deadline(options *pb.BatchAppendReq_Options) time.Duration {
	switch option := options.GetDeadlineOption().(type) {
	case *pb.BatchAppendReq_Options_Deadline:
		return bounded(option.Deadline.GetSeconds(), option.Deadline.GetNanos())
	case *pb.BatchAppendReq_Options_Deadline_21_10_0:
		now := s.Now()
		// Within a day first: the difference of any two numbers from outside might not be a number.
		seconds := min(option.Deadline_21_10_0.GetSeconds(), now.Unix()+24*60*60)
		seconds = max(seconds, now.Unix()-24*60*60)
		return bounded(seconds-now.Unix(), option.Deadline_21_10_0.GetNanos()-int32(now.Nanosecond()))
	}
	return writeTimeout
}

func bounded(seconds int64, nanos int32) time.Duration {
	if seconds > int64(writeTimeout/time.Second) {
		return writeTimeout
	}
	if seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second+time.Duration(nanos), writeTimeout)
}

// echoExpected puts the expectation of a write into its reply.
func echoExpected(reply *pb.BatchAppendResp, options *pb.BatchAppendReq_Options) {
	switch option := options.GetExpectedStreamPosition().(type) {
	case *pb.BatchAppendReq_Options_StreamPosition:
		reply.ExpectedStreamPosition = &pb.BatchAppendResp_StreamPosition{StreamPosition: option.StreamPosition}
	case *pb.BatchAppendReq_Options_NoStream:
		reply.ExpectedStreamPosition = &pb.BatchAppendResp_NoStream{NoStream: &pb.Empty{}}
	case *pb.BatchAppendReq_Options_Any:
		reply.ExpectedStreamPosition = &pb.BatchAppendResp_Any{Any: &pb.Empty{}}
	case *pb.BatchAppendReq_Options_StreamExists:
		reply.ExpectedStreamPosition = &pb.BatchAppendResp_StreamExists{StreamExists: &pb.Empty{}}
	}
}
