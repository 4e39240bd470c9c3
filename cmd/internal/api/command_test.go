package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
)

// commanded is a server whose commands are a function.
func commanded(t *testing.T, command api.Command) (give func(ctx context.Context, body io.Reader) (*http.Response, error)) {
	t.Helper()
	dir := t.TempDir()
	address, err := app.ParseStore("", dir)
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	node, err := app.Open(t.Context(), dir, address, app.ViewsPlace{}, time.Second, logger)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close()) })
	token, err := node.Tokens.First(t.Context(), "ann")
	require.NoError(t, err)
	server := httptest.NewServer(api.New(api.Config{Node: node, Logger: logger, Version: "v1", Command: command}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context, body io.Reader) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+api.Base+"/command", body)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token.Token)
		return client.Do(request)
	}
}

func line(t *testing.T, request api.CommandRequest) io.Reader {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	return bytes.NewReader(body)
}

// A command is told as it goes, byte for byte; who gives it is known to it.
func TestCommandsTellAsTheyGo(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	give := commanded(t, func(_ context.Context, caller app.Caller, request api.CommandRequest, to api.CommandStreams) int {
		fmt.Fprintf(to.Out, "%s %v %s %s", caller.Actor(), request.Args, request.Files["a"], request.Stdin)
		<-goOn
		fmt.Fprint(to.Err, "\xff\x00")
		fmt.Fprint(to.File("f"), "kept")
		return 11
	})
	answer, err := give(t.Context(), line(t, api.CommandRequest{Args: []string{"x"}, Files: map[string][]byte{"a": []byte("of a")}, Stdin: []byte("typed")}))
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	require.Equal(t, "v1", answer.Header.Get(api.HeaderVersion))
	decoder := json.NewDecoder(answer.Body)
	next := func() (chunk api.CommandChunk) {
		require.NoError(t, decoder.Decode(&chunk))
		return chunk
	}
	require.Equal(t, api.CommandChunk{}, next())
	require.Equal(t, "person:ann [x] of a typed", string(next().Out), "before the command has ended")
	close(goOn)
	require.Equal(t, "\xff\x00", string(next().Err))
	file := next()
	require.Equal(t, "f kept", file.File+" "+string(file.Content))
	require.Equal(t, 11, *next().Exit)
	require.ErrorIs(t, decoder.Decode(&api.CommandChunk{}), io.EOF)
}

// Typed input comes to a command while it goes on, and ends where the caller's input does; a caller that is gone, or that
// says what is nothing typed, ends the command though it listens to nobody.
func TestCommandsHearWhatIsTyped(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	give := commanded(t, func(ctx context.Context, _ app.Caller, request api.CommandRequest, over api.CommandStreams) int {
		if request.Args[0] == "deaf" {
			fmt.Fprintln(over.Out, "here")
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return 130
		}
		lines := bufio.NewScanner(over.In)
		for lines.Scan() {
			fmt.Fprintf(over.Out, "%s?", lines.Text())
		}
		return 0
	})
	begin := func(ctx context.Context, args ...string) (typed *io.PipeWriter, next func() (api.CommandChunk, error)) {
		body, typed := io.Pipe()
		answer, err := give(ctx, io.MultiReader(line(t, api.CommandRequest{Args: args, Typing: true}), body))
		require.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		decoder := json.NewDecoder(answer.Body)
		return typed, func() (chunk api.CommandChunk, err error) {
			err = decoder.Decode(&chunk)
			return chunk, err
		}
	}
	typed, next := begin(t.Context(), "x")
	_, err := next()
	require.NoError(t, err)
	for _, said := range []string{"one", "two"} {
		require.NoError(t, json.NewEncoder(typed).Encode(api.CommandTyped{Stdin: []byte(said + "\n")}))
		heard, err := next()
		require.NoError(t, err)
		require.Equal(t, said+"?", string(heard.Out), "before anything more is typed")
	}
	require.NoError(t, typed.Close())
	last, err := next()
	require.NoError(t, err)
	require.Zero(t, *last.Exit)

	ctx, leave := context.WithCancel(t.Context())
	_, next = begin(ctx, "deaf")
	for range 2 {
		_, err = next()
		require.NoError(t, err)
	}
	leave()
	require.Error(t, <-ended)
	typed, _ = begin(t.Context(), "deaf")
	_, err = typed.Write([]byte("nonsense\n"))
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "invalid character")
}

// A command ends when its caller is gone; there is only so much room for those that do not end, and for what they bring.
func TestCommandsAreBounded(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	give := commanded(t, func(ctx context.Context, _ app.Caller, _ api.CommandRequest, _ api.CommandStreams) int {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return 130
	})
	ctx, leave := context.WithCancel(t.Context())
	const most = 64
	for range most {
		answer, err := give(ctx, line(t, api.CommandRequest{Args: []string{"x"}}))
		require.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		<-began
	}
	refused := func(status int, body io.Reader) {
		t.Helper()
		answer, err := give(t.Context(), body)
		require.NoError(t, err)
		defer func() { require.NoError(t, answer.Body.Close()) }()
		require.Equal(t, status, answer.StatusCode)
		require.Equal(t, "application/problem+json", answer.Header.Get("Content-Type"))
	}
	refused(http.StatusTooManyRequests, line(t, api.CommandRequest{Args: []string{"x"}}))
	leave()
	for range most {
		<-ended
	}
	require.Eventually(t, func() bool { // what has ended makes room a moment later
		answer, err := give(t.Context(), strings.NewReader("x"))
		require.NoError(t, err)
		return answer.Body.Close() == nil && answer.StatusCode != http.StatusTooManyRequests
	}, time.Minute, time.Millisecond)
	refused(http.StatusUnprocessableEntity, strings.NewReader("x"))
	refused(http.StatusUnprocessableEntity, line(t, api.CommandRequest{}))
	refused(http.StatusUnprocessableEntity, line(t, api.CommandRequest{Args: make([]string, 1001)}))
	refused(http.StatusRequestEntityTooLarge, io.LimitReader(endless{}, 65<<20))
}

// endless is spaces.
type endless struct{}

// Read implements [io.Reader].
func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }
