package esdbapi

import (
	"context"
	"fmt"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

// services are the gRPC services by the names that clients call. They are written by hand, because generated ones would
// have the names of our own .proto package.
func (s *Server) services() []grpc.ServiceDesc {
	return []grpc.ServiceDesc{
		{
			ServiceName: "event_store.client.streams.Streams",
			Streams: []grpc.StreamDesc{
				{StreamName: "Read", ServerStreams: true, Handler: s.streaming(s.read)},
				{StreamName: "Append", ClientStreams: true, Handler: s.streaming(s.append)},
				{StreamName: "BatchAppend", ServerStreams: true, ClientStreams: true, Handler: s.streaming(s.batchAppend)},
			},
			Methods: s.refused("this log forgets nothing, so no stream of it is deleted", "Delete", "Tombstone"),
		},
		s.persistentSubscriptions(),
		{
			ServiceName: "event_store.client.server_features.ServerFeatures",
			Methods:     []grpc.MethodDesc{{MethodName: "GetSupportedMethods", Handler: s.unary(everybody, s.supportedMethods)}},
		},
		{
			ServiceName: "event_store.client.gossip.Gossip",
			Methods:     []grpc.MethodDesc{{MethodName: "Read", Handler: s.unary(everybody, s.gossip)}},
		},
	}
}

func (s *Server) refused(why string, methods ...string) []grpc.MethodDesc {
	var refused []grpc.MethodDesc
	for _, method := range methods {
		refused = append(refused, grpc.MethodDesc{MethodName: method, Handler: s.unary(s.admit, func(context.Context) (proto.Message, error) {
			return nil, denied(why)
		})})
	}
	return refused
}

// everybody admits all: clients do not show their credential when they ask what the server is.
func everybody(context.Context) error { return nil }

// unary is a method whose request says nothing that matters.
func (s *Server) unary(admit func(context.Context) error, serve func(context.Context) (proto.Message, error)) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (reply any, err error) {
		if err := decode(new(pb.Empty)); err != nil {
			return nil, err
		}
		err = s.call(ctx, admit, func(ctx context.Context) (err error) {
			reply, err = serve(ctx)
			return err
		})
		return reply, err
	}
}

func (s *Server) streaming(serve func(context.Context, grpc.ServerStream) error) grpc.StreamHandler {
	return func(_ any, stream grpc.ServerStream) error {
		return s.call(stream.Context(), s.admit, func(ctx context.Context) error { return serve(ctx, stream) })
	}
}

// call serves one call, to those who are admitted, with errors as clients know them. A panic is the call's own
// misfortune, not that of everybody.
func (s *Server) call(ctx context.Context, admit func(context.Context) error, serve func(context.Context) error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("esdbapi: panic: %v\n%s", panicked, debug.Stack())
		}
		err = s.answer(ctx, err)
	}()
	if err := admit(ctx); err != nil {
		return err
	}
	return serve(ctx)
}

// untilStop gives a context that ends with errStopping when the server is to stop, for calls that do not end by
// themselves.
func (s *Server) untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(s.stopping, func() { cancel(errStopping) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}
