package terminal

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// The variables that name a server and hold what it is shown.
const (
	ServerVariable = "KINTSUGI_SERVER"
	TokenVariable  = "KINTSUGI_TOKEN"
)

// How long a server may keep somebody waiting without a sign of life. It gives one every 15 seconds.
const (
	connectTime = 10 * time.Second
	silence     = time.Minute
)

// remoteTarget is the server that carries out a command; nil for this process. A flag comes before the environment,
// which comes before the context in use. A flag that names a data directory or a store means this process.
func (cli *CLI) remoteTarget(c *cobra.Command) (*Context, error) {
	flags := c.Root().PersistentFlags()
	switch flag := flags.Lookup("server"); {
	case cli.caller != nil || c.HasSubCommands() || c.Annotations[passesAnnotation] != "":
		return nil, nil
	case RemoteScope(c) == "" && flag.Changed && cli.server != "":
		return nil, localOnly(c)
	case RemoteScope(c) == "":
		return nil, nil
	case flag.Changed:
		return cli.serverNamed(cli.server)
	}
	for _, name := range storeFlags {
		if flags.Changed(name) {
			return nil, nil
		}
	}
	if named := os.Getenv(ServerVariable); named != "" {
		return cli.serverNamed(named)
	}
	for _, name := range storeFlags {
		if os.Getenv(Variable(name)) != "" {
			return nil, nil
		}
	}
	contexts, err := ReadContexts()
	if err != nil || contexts.Use == "" {
		return nil, err
	}
	return cli.serverNamed(contexts.Use)
}

// serverNamed is a server by the name of a context, or by its address: then the token is in the environment. A context's
// token is never sent anywhere else, and what is in the environment is not sent to the server of a context.
func (cli *CLI) serverNamed(name string) (target *Context, err error) {
	if name == "" {
		return nil, nil
	}
	target = &Context{URL: name, Token: os.Getenv(TokenVariable)}
	if !strings.Contains(name, "://") {
		contexts, err := ReadContexts()
		if err != nil {
			return nil, err
		}
		named, known := contexts.Named[name]
		if !known {
			return nil, fault.New(fault.NotFound, "there is no context %q: see 'kintsugi context list', or write an address like https://%[1]s", name)
		}
		target = &named
	}
	if cli.serverCA != "" {
		target.CA = cli.serverCA
	}
	if target.Token == "" {
		return nil, fault.New(fault.Forbidden, "%s wants to be shown a token: put it in %s, or name the server with 'kintsugi context add'", name, TokenVariable)
	}
	return target, nil
}

// give has a server carry out this command line, and returns how it ended.
func (cli *CLI) give(c *cobra.Command, target *Context) error {
	if flag := machineFlag(c); flag != "" {
		return fault.New(fault.Invalid, "--%s is about this machine, and %s carries the command out: leave one of them out ('--server \"\"' is this machine)", flag, target.URL)
	}
	if address, err := ParseServer(target.URL); err == nil && InClear(address) {
		fmt.Fprintf(cli.Err, "%s is reached without TLS: anybody in between can read your token.\n", address.Host)
	}
	request, writes, err := cli.requestOf(c)
	if err != nil {
		return err
	}
	code, err := cli.exchange(c.Context(), target, request, writes)
	if err != nil {
		return err
	}
	return &ExitError{Code: code}
}

// exchange sends a command line to a server, prints what it prints there, and returns how it ended.
func (cli *CLI) exchange(whole context.Context, target *Context, request api.CommandRequest, writes writable) (code int, err error) {
	address, err := ParseServer(target.URL)
	if err != nil {
		return 0, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return 0, err
	}
	client, err := clientOf(target)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	sent := io.Reader(bytes.NewReader(body))
	if request.Typing {
		sent = io.MultiReader(sent, cli.typing())
	}
	posted, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String()+api.Base+"/command", sent)
	if err != nil {
		return 0, err
	}
	posted.Header.Set("Authorization", "Bearer "+target.Token)
	posted.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(posted)
	if err != nil {
		return 0, cli.unreachable(whole, address.Host, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read, or nobody wants it
	if answer.StatusCode != http.StatusOK {
		return 0, refused(address.Host, answer)
	}
	if its := answer.Header.Get(api.HeaderVersion); its != cli.Version {
		fmt.Fprintf(cli.Err, "%s has version %s of the program, this is %s: commands may differ.\n", address.Host, plain.Dash(plain.Line(its)), plain.Dash(cli.Version))
	}
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	code, err = cli.receive(answer.Body, writes, func() { alive.Reset(silence) })
	if err != nil {
		return 0, cli.unreachable(whole, address.Host, err)
	}
	return code, nil
}

// typing is what is typed from now on, as a server hears it.
func (cli *CLI) typing() io.Reader {
	read, write := io.Pipe()
	go func() { // until nobody hears it any more, or with the process, while nothing is typed
		encoder := json.NewEncoder(write)
		line := make([]byte, 4096)
		for {
			n, err := cli.In.Read(line)
			if n > 0 && encoder.Encode(api.CommandTyped{Stdin: line[:n]}) != nil {
				return
			}
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil // the input is whole
				}
				_ = write.CloseWithError(err) // never fails
				return
			}
		}
	}()
	return read
}

// unreachable is what an answer comes to that did not come, or not whole.
func (cli *CLI) unreachable(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return &ExitError{Code: ExitInterrupted, Cause: errors.New("interrupted: the server was told to end the command; what it had begun is kept there, and runs go on")}
	}
	if _, own := errors.AsType[*fault.Error](err); own {
		return err
	}
	return &ExitError{Code: ExitUnreachable, Cause: fmt.Errorf("%s does not answer as it should: %w. Is a server there ('kintsugi dev'), and is it the right address?", host, err)}
}

// writable is where a command may write: one file, and the scripts and descriptions of a folder. Empty is nowhere.
type writable struct{ file, folder string }

// requestOf is this command line with all that it reads, and the files that it may write.
func (cli *CLI) requestOf(c *cobra.Command) (request api.CommandRequest, writes writable, err error) {
	screen := ScreenOf(cli.Out)
	hears := c.Annotations[stdinAnnotation]
	request = api.CommandRequest{
		Args: cli.args, Files: map[string][]byte{}, Typing: cli.Typed && hears != "", Width: screen.Width, Colour: screen.colour, Zone: ownZone(), Agent: cli.agent,
	}
	stdin := hears == always && !request.Typing
	reads, write := RemoteFlags(c)
	for _, name := range reads {
		path := fileNamed(c, name)
		switch {
		case path == "-":
			stdin = true
		case path != "":
			read := cli.ReadFile
			if packages.IsScript(path) {
				read = cli.portable
			}
			text, err := read(path)
			if err != nil {
				return request, writes, err
			}
			request.Files[path] = []byte(text)
		}
	}
	folders := []string{}
	if readsFolders(c) {
		folders = c.Flags().Args()
	}
	if flag := c.Annotations[writesToAnnotation]; flag != "" && fileNamed(c, flag) != "" {
		writes.folder = filepath.ToSlash(fileNamed(c, flag))
		folders = append(folders, writes.folder)
	}
	for _, folder := range folders {
		files, err := cli.readWorkflowFolder(folder)
		if err != nil && (folder != writes.folder || fault.KindOf(err) != fault.NotFound) {
			return request, writes, err
		}
		for name, content := range files {
			request.Files[path.Join(filepath.ToSlash(folder), name)] = content
		}
	}
	if write != "" && fileNamed(c, write) != "-" {
		writes.file = fileNamed(c, write)
	}
	if stdin {
		if request.Stdin, err = io.ReadAll(cli.In); err != nil {
			return request, writes, fault.New(fault.Invalid, "cannot read standard input: %w", err)
		}
	}
	return request, writes, nil
}

// fileNamed is the path that a flag or the first argument names: - for standard input, empty for none.
func fileNamed(c *cobra.Command, name string) string {
	if name == "0" {
		return c.Flags().Arg(0)
	}
	flag, inText := strings.CutPrefix(name, "@")
	value := c.Flag(flag).Value.String()
	if !inText || value == "-" {
		return value
	}
	path, _ := strings.CutPrefix(value, "@")
	if path == value {
		return "" // it is the text itself
	}
	return path
}

// clientOf reaches one server, whose certificate has to be right. Nothing is shown to another one that it may point to.
func clientOf(target *Context) (*http.Client, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if target.CA != "" {
		pem, err := os.ReadFile(target.CA)
		if err != nil {
			return nil, fault.New(fault.Invalid, "read the certificates that the server is checked with: %w", err)
		}
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fault.New(fault.Invalid, "%s has no certificate in PEM", target.CA)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, transport.DisableKeepAlives = secure, true
	transport.TLSHandshakeTimeout, transport.ResponseHeaderTimeout = connectTime, silence
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// refused says why a server did not begin with a command.
func refused(host string, answer *http.Response) error {
	var problem api.Problem
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil || json.Unmarshal(text, &problem) != nil || problem.Detail == "" {
		return &ExitError{Code: ExitUnreachable, Cause: fmt.Errorf("%s answers %s and is no server of Kintsugi, or an older one that carries out no commands", host, answer.Status)}
	}
	kind := map[int]fault.Kind{
		http.StatusUnauthorized: fault.Forbidden, http.StatusForbidden: fault.Forbidden, http.StatusTooManyRequests: fault.Conflict,
		http.StatusUnprocessableEntity: fault.Invalid, http.StatusRequestEntityTooLarge: fault.Invalid,
	}[answer.StatusCode]
	if kind == "" {
		return &ExitError{Code: ExitUnreachable, Cause: fmt.Errorf("%s: %s", host, problem.Detail)}
	}
	return fault.New(kind, "%s: %s", host, problem.Detail)
}

// receive prints what a command elsewhere prints and writes the files that it writes, if they were asked for.
func (cli *CLI) receive(answer io.Reader, writes writable, alive func()) (code int, err error) {
	written := map[string]io.WriteCloser{}
	defer func() {
		for _, file := range written {
			err = errors.Join(err, file.Close())
		}
	}()
	for decoder := json.NewDecoder(answer); ; alive() {
		var chunk api.CommandChunk
		if err := decoder.Decode(&chunk); err != nil {
			return 0, fmt.Errorf("the connection ended before the command did: %w", err)
		}
		if chunk.Exit != nil {
			return *chunk.Exit, nil
		}
		if _, err := cli.Out.Write(chunk.Out); err != nil {
			return 0, err
		}
		if _, err := cli.Err.Write(chunk.Err); err != nil {
			return 0, err
		}
		if chunk.File == "" {
			continue
		}
		if chunk.File != writes.file && !isBelow(writes.folder, chunk.File) {
			return 0, fault.New(fault.Forbidden, "the server wants to write a file that was not named: %s", plain.Line(chunk.File))
		}
		if written[chunk.File] == nil {
			if chunk.File != writes.file {
				if err := os.MkdirAll(path.Dir(chunk.File), 0o755); err != nil {
					return 0, fault.New(fault.Invalid, "cannot write %s: %w", chunk.File, err)
				}
			}
			if written[chunk.File], err = cli.CreateFile(chunk.File); err != nil {
				return 0, fault.New(fault.Invalid, "cannot write %s: %w", chunk.File, err)
			}
		}
		if _, err := written[chunk.File].Write(chunk.Content); err != nil {
			return 0, fault.New(fault.Invalid, "cannot write %s: %w", chunk.File, err)
		}
	}
}
