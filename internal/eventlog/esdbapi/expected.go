package esdbapi

import (
	"math"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// expectation is what a client expects of a stream.
type expectation struct {
	kind     expectationKind
	revision int64 // of atRevision; -1 for noStream
}

type expectationKind int

const (
	missing expectationKind = iota
	beyond                  // a revision that no stream has
	atRevision
	noStream
	anyRevision
	streamExists
)

// exact says whether the log itself can check it.
func (e expectation) exact() bool { return e.kind == atRevision || e.kind == noStream }

func (e expectation) check() error {
	switch e.kind {
	case missing:
		return invalid("the append does not say what it expects of the stream")
	case beyond:
		return invalid("the expected revision is larger than any")
	}
	return nil
}

// expectationOf reads the expectation of Append and BatchAppend, which say the same in types of their own.
func expectationOf(option any) expectation {
	revision := func(number uint64) expectation {
		if number > math.MaxInt64 {
			return expectation{kind: beyond}
		}
		return expectation{kind: atRevision, revision: int64(number)}
	}
	switch option := option.(type) {
	case *pb.AppendReq_Options_Revision:
		return revision(option.Revision)
	case *pb.BatchAppendReq_Options_StreamPosition:
		return revision(option.StreamPosition)
	case *pb.AppendReq_Options_NoStream, *pb.BatchAppendReq_Options_NoStream:
		return expectation{kind: noStream, revision: -1}
	case *pb.AppendReq_Options_Any, *pb.BatchAppendReq_Options_Any:
		return expectation{kind: anyRevision}
	case *pb.AppendReq_Options_StreamExists, *pb.BatchAppendReq_Options_StreamExists:
		return expectation{kind: streamExists}
	}
	return expectation{}
}

// wrongVersion says that a stream was not as expected. It is no error of the call.
type wrongVersion struct {
	expected expectation
	current  int64 // revision, -1 for no stream
}

// Error implements error. Some clients know it by these words.
func (*wrongVersion) Error() string { return "WrongExpectedVersion" }

// response says it as Append does, once for today's clients and once for those of old.
func (e *wrongVersion) response() *pb.AppendResp_WrongExpectedVersion {
	wire := new(pb.AppendResp_WrongExpectedVersion)
	if e.current >= 0 {
		wire.CurrentRevisionOption = &pb.AppendResp_WrongExpectedVersion_CurrentRevision{CurrentRevision: uint64(e.current)}
		wire.CurrentRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_CurrentRevision_20_6_0{CurrentRevision_20_6_0: uint64(e.current)}
	} else {
		wire.CurrentRevisionOption = &pb.AppendResp_WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &pb.Empty{}}
		wire.CurrentRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_NoStream_20_6_0{NoStream_20_6_0: &pb.Empty{}}
	}
	switch e.expected.kind {
	case anyRevision:
		wire.ExpectedRevisionOption = &pb.AppendResp_WrongExpectedVersion_ExpectedAny{ExpectedAny: &pb.Empty{}}
		wire.ExpectedRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_Any_20_6_0{Any_20_6_0: &pb.Empty{}}
	case streamExists:
		wire.ExpectedRevisionOption = &pb.AppendResp_WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &pb.Empty{}}
		wire.ExpectedRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_StreamExists_20_6_0{StreamExists_20_6_0: &pb.Empty{}}
	case noStream:
		wire.ExpectedRevisionOption = &pb.AppendResp_WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &pb.Empty{}}
		// The old form has no word for it but the number -1.
		wire.ExpectedRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: math.MaxUint64}
	default:
		wire.ExpectedRevisionOption = &pb.AppendResp_WrongExpectedVersion_ExpectedRevision{ExpectedRevision: uint64(e.expected.revision)}
		wire.ExpectedRevisionOption_20_6_0 = &pb.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: uint64(e.expected.revision)}
	}
	return wire
}

// detail says it as BatchAppend does.
func (e *wrongVersion) detail() *pb.WrongExpectedVersion {
	wire := new(pb.WrongExpectedVersion)
	if e.current >= 0 {
		wire.Current = &pb.WrongExpectedVersion_CurrentStreamRevision{CurrentStreamRevision: uint64(e.current)}
	} else {
		wire.Current = &pb.WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &pb.Empty{}}
	}
	switch e.expected.kind {
	case anyRevision:
		wire.Expected = &pb.WrongExpectedVersion_ExpectedAny{ExpectedAny: &pb.Empty{}}
	case streamExists:
		wire.Expected = &pb.WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &pb.Empty{}}
	case noStream:
		wire.Expected = &pb.WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &pb.Empty{}}
	default:
		wire.Expected = &pb.WrongExpectedVersion_ExpectedStreamPosition{ExpectedStreamPosition: uint64(e.expected.revision)}
	}
	return wire
}
