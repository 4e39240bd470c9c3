package esdbapi

import (
	"context"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// version is that of the protocol's servers whose answers ours resemble. Clients look at its numbers.
const version = "24.10.0"

const streamsService = "event_store.client.streams.streams" // in lower case, as clients look for it

// supportedMethods says only what this server would do: clients choose by it.
func (s *Server) supportedMethods(context.Context) (proto.Message, error) {
	supported := &pb.SupportedMethods{EventStoreServerVersion: version}
	add := func(service, method string, features ...string) {
		supported.Methods = append(supported.Methods, &pb.SupportedMethods_SupportedMethod{
			ServiceName: service, MethodName: method, Features: features,
		})
	}
	add(streamsService, "read", "position", "events")
	if s.appends() {
		add(streamsService, "append")
		add(streamsService, "batchappend", "deadline_duration")
	}
	for _, method := range groupMethods {
		add(groupsService, method, "stream", "all")
	}
	return supported, nil
}

// gossip tells of a cluster of one.
func (s *Server) gossip(ctx context.Context) (proto.Message, error) {
	host, port := s.reachedAt(ctx)
	return &pb.ClusterInfo{Members: []*pb.ClusterInfo_MemberInfo{{
		InstanceId:   structuredUUID(s.instance),
		TimeStamp:    ticks(s.Now()),
		State:        pb.ClusterInfo_Leader,
		IsAlive:      true,
		HttpEndPoint: &pb.ClusterInfo_EndPoint{Address: host, Port: port},
	}}}, nil
}

// reachedAt is the address to which a client should connect: one that it dialled is one that it can dial again.
func (s *Server) reachedAt(ctx context.Context) (host string, port uint32) {
	candidates := []string{s.Advertise}
	candidates = append(candidates, metadata.ValueFromIncomingContext(ctx, ":authority")...)
	for _, candidate := range append(candidates, s.address.String()) {
		if host, port, err := hostPort(candidate); err == nil {
			return host, port
		}
	}
	return s.address.String(), 0 // not a network that clients dial by host and port
}
