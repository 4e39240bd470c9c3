package esdbapi_test

import (
	"encoding/hex"
	"strings"
	"testing"

	official_gossip "github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	official_features "github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	official_shared "github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	official "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// The messages are those of the official client: the same numbers, kinds and nesting.
func TestMessagesAreTheProtocols(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]proto.Message{
		{&pb.ReadReq{}, &official.ReadReq{}},
		{&pb.ReadResp{}, &official.ReadResp{}},
		{&pb.AppendReq{}, &official.AppendReq{}},
		{&pb.AppendResp{}, &official.AppendResp{}},
		{&pb.BatchAppendReq{}, &official.BatchAppendReq{}},
		{&pb.BatchAppendResp{}, &official.BatchAppendResp{}},
		{&pb.WrongExpectedVersion{}, &official_shared.WrongExpectedVersion{}},
		{&pb.MaximumAppendSizeExceeded{}, &official_shared.MaximumAppendSizeExceeded{}},
		{&pb.BadRequest{}, &official_shared.BadRequest{}},
		{&pb.SupportedMethods{}, &official_features.SupportedMethods{}},
		{&pb.ClusterInfo{}, &official_gossip.ClusterInfo{}},
	} {
		compare(t, pair[0].ProtoReflect().Descriptor(), pair[1].ProtoReflect().Descriptor(), map[protoreflect.FullName]bool{})
	}
}

func compare(t *testing.T, ours, theirs protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) {
	if seen[ours.FullName()] {
		return
	}
	seen[ours.FullName()] = true
	for i := range ours.Fields().Len() {
		field := ours.Fields().Get(i)
		if isLater(field.FullName()) {
			continue
		}
		their := theirs.Fields().ByNumber(field.Number())
		require.NotNil(t, their, field.FullName())
		require.Equal(t, their.Kind(), field.Kind(), field.FullName())
		if field.FullName() != "kintsugi.esdb.Status.details" { // repeated in the standard's, of which the protocol uses one
			require.Equal(t, their.Cardinality(), field.Cardinality(), field.FullName())
		}
		require.Equal(t, their.ContainingOneof() == nil, field.ContainingOneof() == nil, field.FullName())
		switch {
		case field.Message() != nil:
			compare(t, field.Message(), their.Message(), seen)
		case field.Enum() != nil:
			for j := range field.Enum().Values().Len() {
				value := field.Enum().Values().Get(j)
				require.Equal(t, value.Name(), their.Enum().Values().ByNumber(value.Number()).Name(), field.FullName())
			}
		}
	}
}

// isLater says whether the protocol got a field after version 4 of the client.
func isLater(name protoreflect.FullName) bool {
	return strings.HasPrefix(string(name), "kintsugi.esdb.ReadResp.CaughtUp.") || name == "kintsugi.esdb.ReadResp.Checkpoint.timestamp"
}

// Messages have the bytes that official clients and servers were seen to send.
func TestBytes(t *testing.T) {
	t.Parallel()
	read := &pb.ReadReq{Options: &pb.ReadReq_Options{
		CountOption:  &pb.ReadReq_Options_Count{Count: 5},
		FilterOption: &pb.ReadReq_Options_NoFilter{NoFilter: &pb.Empty{}},
		UuidOption:   &pb.ReadReq_UUIDOption{Content: &pb.ReadReq_UUIDOption_Structured{Structured: &pb.Empty{}}},
	}}
	id := uuid.MustParse("00112233-4455-6677-8899-aabbccddeeff")
	most, least := int64(0x0011223344556677), -int64(0x7766554433221101)
	structured := &pb.UUID{Value: &pb.UUID_Structured_{Structured: &pb.UUID_Structured{MostSignificantBits: most, LeastSignificantBits: least}}}
	for want, message := range map[string]proto.Message{
		"0a 08 28 05 42 00 4a 02 0a 00":                                     read,
		"0a 14 08 f7 cc d5 a2 b4 c6 c8 08 10 ff dd f7 e6 bc d7 ea cc 88 01": structured,
	} {
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		require.NoError(t, err)
		bytes, err := hex.DecodeString(strings.ReplaceAll(want, " ", ""))
		require.NoError(t, err)
		// A message may have its fields in any order.
		same := message.ProtoReflect().New().Interface()
		require.NoError(t, proto.Unmarshal(bytes, same))
		require.True(t, proto.Equal(message, same), want)
		require.Len(t, got, len(bytes), want)
	}
	require.Equal(t, "00112233-4455-6677-8899-aabbccddeeff", id.String())
}
