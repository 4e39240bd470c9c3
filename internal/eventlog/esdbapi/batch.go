package esdbapi

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi/pb"
)

const (
	// maxWriting bounds the writes of one call that are in the log's hands.
	maxWriting = 256
	// maxUnfinished and maxUnfinishedBytes bound what of one call waits for its last message.
	maxUnfinished      = 1024
	maxUnfinishedBytes = 16 << 20
)

// batchAppend answers BatchAppend: many writes in one call, told apart by their correlation ids. Writes of one stream
// are done in the order in which they came, others at the same time, so that the log can commit them together.
func (s *Server) batchAppend(ctx context.Context, stream grpc.ServerStream) error {
	ctx, cancel := s.untilStop(ctx)
	defer cancel()
	b := &batch{
		server:     s,
		stream:     stream,
		unfinished: make(map[string]*batchWrite),
		slots:      make(chan struct{}, maxWriting),
		tails:      make(map[string]chan struct{}),
	}
	// Writes that have begun are finished and answered, also when the call ends.
	defer b.writing.Wait()

	requests, received := make(chan *pb.BatchAppendReq), make(chan error, 1)
	go func() { received <- receive(ctx, stream, requests) }()
	for {
		select {
		case request := <-requests:
			if err := b.take(ctx, request); err != nil {
				return err
			}
		case err := <-received:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// receive hands the requests on until the client has sent its last, or the call ends.
func receive(ctx context.Context, stream grpc.ServerStream, requests chan<- *pb.BatchAppendReq) error {
	for {
		request := new(pb.BatchAppendReq)
		if err := stream.RecvMsg(request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case requests <- request:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// batch is one call of BatchAppend.
type batch struct {
	server          *Server
	unfinished      map[string]*batchWrite // by correlation id
	unfinishedBytes int
	slots           chan struct{} // one for each write that may go on

	mu      sync.Mutex
	tails   map[string]chan struct{} // of each stream, closed when its last write is done
	writing sync.WaitGroup

	sending sync.Mutex
	stream  grpc.ServerStream
}

// batchWrite is one write, of which all or a part has come.
type batchWrite struct {
	*write
	reply    *pb.BatchAppendResp // without its result
	deadline time.Duration
	answered bool // it was refused; what is still to come of it is dropped
}

// take takes one message: the first, a middle one or the last of a write. A write that is refused is answered, and
// the call goes on; an error ends the call.
func (b *batch) take(ctx context.Context, request *pb.BatchAppendReq) error {
	key, err := canonicalID(request.GetCorrelationId())
	if err != nil {
		return invalid("a batch has a correlation id that is no UUID: %v", err)
	}
	w, known := b.unfinished[key]
	if !known {
		if len(b.unfinished) == maxUnfinished {
			return invalid("more than %d writes of this call have not had their last message", maxUnfinished)
		}
		w = &batchWrite{reply: &pb.BatchAppendResp{CorrelationId: request.GetCorrelationId()}}
		b.unfinished[key] = w
	}
	if err := b.fill(ctx, w, known, request); err != nil && !w.answered {
		w.answered = true
		if err := b.answer(w, nil, err); err != nil {
			return err
		}
	}
	if w.answered && w.write != nil {
		b.unfinishedBytes -= w.bytes
		w.write = nil
	}
	if b.unfinishedBytes > maxUnfinishedBytes {
		return invalid("writes of this call with more than %d bytes have not had their last message", maxUnfinishedBytes)
	}
	if !request.GetIsFinal() {
		return nil
	}
	delete(b.unfinished, key)
	if w.answered {
		return nil
	}
	b.unfinishedBytes -= w.bytes
	return b.begin(ctx, w)
}

// fill adds what a message holds to its write.
func (b *batch) fill(ctx context.Context, w *batchWrite, known bool, request *pb.BatchAppendReq) (err error) {
	if !known {
		options := request.GetOptions()
		w.reply.StreamIdentifier = options.GetStreamIdentifier()
		echoExpected(w.reply, options)
		w.deadline = b.server.deadline(options)
		w.write, err = b.server.newWrite(ctx, options.GetStreamIdentifier(), expectationOf(options.GetExpectedStreamPosition()))
		if err != nil {
			return err
		}
	}
	if w.answered {
		return nil
	}
	before := w.bytes
	for _, message := range request.GetProposedMessages() {
		if err = w.add(message); err != nil {
			break
		}
	}
	b.unfinishedBytes += w.bytes - before
	return err
}

// begin does a write when the one before it on its stream is done. It waits while too many are going on.
func (b *batch) begin(ctx context.Context, w *batchWrite) error {
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	done := make(chan struct{})
	b.mu.Lock()
	before := b.tails[w.write.stream]
	b.tails[w.write.stream] = done
	b.mu.Unlock()

	b.writing.Go(func() {
		defer func() { <-b.slots }()
		if before != nil {
			<-before
		}
		success, err := b.write(w)
		b.mu.Lock()
		if b.tails[w.write.stream] == done {
			delete(b.tails, w.write.stream)
		}
		b.mu.Unlock()
		close(done)
		// If it cannot be sent the call is over, which the other side of it notices.
		_ = b.answer(w, success, err)
	})
	return nil
}

// write does one write. A stop of the server does not end it; it ends when the client is gone.
func (b *batch) write(w *batchWrite) (*pb.AppendResp_Success, error) {
	ctx, cancel := context.WithTimeoutCause(b.stream.Context(), w.deadline, timedOut())
	defer cancel()
	return b.server.write(ctx, w.write)
}

func (b *batch) answer(w *batchWrite, success *pb.AppendResp_Success, err error) error {
	w.reply.Result = &pb.BatchAppendResp_Success{Success: success}
	if err != nil {
		w.reply.Result = &pb.BatchAppendResp_Error{Error: b.server.statusOf(err)}
	}
	b.sending.Lock()
	defer b.sending.Unlock()
	return b.stream.SendMsg(w.reply)
}
