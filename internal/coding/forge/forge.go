package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Forge is a repository at a forge.
type Forge struct {
	API   string // without a slash at its end
	Host  string // of the API, to which a token is bound
	Owner string
	Name  string
	Token string
}

// Locate finds the repository that a remote of git leads to. If no API is given, it is GitHub's own for github.com, and that of Gitea and Forgejo for
// other hosts.
func Locate(remote, api string) (Forge, error) {
	address := remote
	if host, path, scp := strings.Cut(remote, ":"); scp && !strings.Contains(remote, "://") { // git@host:owner/name
		address = "ssh://" + host + "/" + path
	}
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" {
		return Forge{}, fmt.Errorf("forge: %q is no address of a repository at a forge, such as https://HOST/OWNER/NAME", remote)
	}
	parts := strings.Split(strings.TrimSuffix(strings.Trim(at.Path, "/"), ".git"), "/")
	if len(parts) < 2 {
		return Forge{}, fmt.Errorf("forge: %q names no owner and repository, as https://HOST/OWNER/NAME does", remote)
	}
	of := Forge{API: strings.TrimSuffix(api, "/"), Owner: parts[len(parts)-2], Name: parts[len(parts)-1]}
	switch {
	case of.API != "":
	case at.Hostname() == "github.com":
		of.API = "https://api.github.com"
	case at.Scheme == "http":
		of.API = "http://" + at.Host + "/api/v1"
	case at.Scheme == "https":
		of.API = "https://" + at.Host + "/api/v1"
	default:
		of.API = "https://" + at.Hostname() + "/api/v1"
	}
	where, err := url.Parse(of.API)
	if err != nil || where.Hostname() == "" || where.Scheme != "https" && where.Scheme != "http" {
		return Forge{}, fmt.Errorf("forge: %q is no address of an API", of.API)
	}
	of.Host = where.Hostname()
	return of, nil
}

// Error is an answer of a forge that is none to what was asked.
type Error struct {
	Asked   string
	Status  int
	Message string
}

// Error implements error.
func (e *Error) Error() string {
	advice := map[int]string{
		http.StatusUnauthorized: ": its token is not valid any more",
		http.StatusForbidden:    ": its token may not do that, or asked too often",
		http.StatusNotFound:     ": the repository is not there, or the token does not see it",
	}[e.Status]
	return fmt.Sprintf("forge: %s: status %d, %s%s", e.Asked, e.Status, e.Message, advice)
}

// answerTime bounds a question, and maxAnswer what is read of its answer.
const (
	answerTime = 30 * time.Second
	maxAnswer  = 8 << 20
)

// ask asks the forge about the repository.
func (f Forge) ask(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, f.API+"/repos/"+url.PathEscape(f.Owner)+"/"+url.PathEscape(f.Name)+path, text)
	if err != nil {
		return fmt.Errorf("forge: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+f.Token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("forge: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("forge: read an answer of %s: %w", f.Host, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		var said struct {
			Message string
			Errors  []json.RawMessage
		}
		if json.Unmarshal(read, &said) != nil || said.Message == "" {
			said.Message = http.StatusText(answer.StatusCode)
		}
		for _, one := range said.Errors {
			said.Message += "; " + string(one)
		}
		return &Error{Asked: method + " " + request.URL.Redacted(), Status: answer.StatusCode, Message: said.Message}
	}
	if err := json.Unmarshal(read, into); err != nil {
		return fmt.Errorf("forge: %s answered %s with what is no JSON of GitHub's API: %w", f.Host, path, err)
	}
	return nil
}

// client follows no redirect to another host: the token is for this one.
var client = &http.Client{CheckRedirect: func(request *http.Request, via []*http.Request) error {
	if request.URL.Host != via[0].URL.Host || len(via) > 5 {
		return errors.New("it leads to " + request.URL.Host + ": name the API there")
	}
	return nil
}}
