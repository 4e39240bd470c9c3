package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// ReportVariable is the environment variable with the token of the tracker that reports of problems go to.
const ReportVariable = "KINTSUGI_REPORT_TOKEN"

// Report is a problem that somebody tells of.
type Report struct {
	Title string
	Body  string // Markdown
	// Screenshot is a picture of the page (PNG), if one was drawn. Trackers take none; a file and a webhook do.
	Screenshot []byte
}

// Reported is where a report went.
type Reported struct {
	Where string `json:"where" doc:"In words"`
	URL   string `json:"url,omitempty" doc:"Where it can be read, if it can be"`
}

// Tracker takes reports of problems. The zero value takes none.
type Tracker struct {
	kind   string
	target string // a directory, or an address
	token  string
	now    func() time.Time
}

// The kinds of trackers.
const (
	trackerFile    = "file"
	trackerWebhook = "webhook"
	trackerGitHub  = "github"
)

// ParseTracker reads where reports go: file:DIRECTORY, webhook:https://…, github:OWNER/REPOSITORY, or the address of a
// repository in an API like GitHub's, github:https://git.example.com/api/v1/repos/OWNER/REPOSITORY.
func ParseTracker(text, token string, now func() time.Time) (Tracker, error) {
	kind, target, _ := strings.Cut(text, ":")
	t := Tracker{kind: kind, target: target, token: token, now: now}
	switch kind {
	case trackerFile:
		if target != "" {
			return t, nil
		}
	case trackerWebhook:
		if isWebAddress(target) {
			return t, nil
		}
	case trackerGitHub:
		if owner, name, found := strings.Cut(target, "/"); found && owner != "" && name != "" && !strings.ContainsAny(target, ":?# ") && !strings.Contains(name, "/") {
			t.target = "https://api.github.com/repos/" + target
		}
		if isWebAddress(t.target) {
			return t, nil
		}
	}
	return Tracker{}, fault.New(fault.Invalid, "--report-to %q: write file:DIRECTORY, webhook:https://…, github:OWNER/REPOSITORY, or github: and the address of a repository in an API like GitHub's", text)
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// Where is where reports go, in words, for people who are about to send one.
func (t Tracker) Where() string {
	switch t.kind {
	case trackerFile:
		return "a file on the server, in " + t.target
	case trackerWebhook:
		u, _ := url.Parse(t.target) // it was parsed before
		return "the system at " + u.Host
	case trackerGitHub:
		u, _ := url.Parse(t.target)
		_, repository, _ := strings.Cut(u.Path, "/repos/")
		return "the issues of " + repository + " at " + strings.TrimPrefix(u.Host, "api.")
	}
	return ""
}

// TakesPictures says whether a picture of the page goes with a report: an API like GitHub's has no way to attach one to an issue.
func (t Tracker) TakesPictures() bool { return t.kind != trackerGitHub }

// reportLasts bounds how long a tracker may take.
const reportLasts = 15 * time.Second

// Send hands a report over.
func (t Tracker) Send(ctx context.Context, report Report) (Reported, error) {
	ctx, cancel := context.WithTimeout(ctx, reportLasts)
	defer cancel()
	switch t.kind {
	case trackerFile:
		return t.keep(report)
	case trackerWebhook:
		_, err := t.post(ctx, t.target, map[string]any{"title": report.Title, "body": report.Body, "screenshot": report.Screenshot})
		return Reported{Where: t.Where()}, err
	case trackerGitHub:
		var issue struct {
			URL string `json:"html_url"`
		}
		answer, err := t.post(ctx, t.target+"/issues", map[string]any{"title": report.Title, "body": report.Body})
		if err == nil && (json.Unmarshal(answer, &issue) != nil || !isWebAddress(issue.URL)) {
			issue.URL = "" // it was taken, and the page links to nothing else
		}
		return Reported{Where: t.Where(), URL: issue.URL}, err
	}
	return Reported{}, fault.New(fault.Conflict, "nobody said where reports go: start the server with --report-to")
}

func (t Tracker) keep(report Report) (Reported, error) {
	if err := os.MkdirAll(t.target, 0o700); err != nil {
		return Reported{}, fmt.Errorf("keep a report: %w", err)
	}
	base := filepath.Join(t.target, t.now().UTC().Format("20060102-150405")+"-"+NewID())
	err := os.WriteFile(base+".md", []byte("# "+report.Title+"\n\n"+report.Body), 0o600)
	if err == nil && len(report.Screenshot) > 0 {
		err = os.WriteFile(base+".png", report.Screenshot, 0o600)
	}
	if err != nil {
		return Reported{}, fmt.Errorf("keep a report: %w", err)
	}
	return Reported{Where: "the file " + base + ".md on the server"}, nil
}

// post sends JSON. It follows no redirect: the token is for the address that the operator named.
func (t Tracker) post(ctx context.Context, to string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write a report: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("send a report: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "kintsugi")
	if t.token != "" {
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, fault.New(fault.Conflict, "the report was not taken: %s does not answer: %w", t.Where(), errors.Unwrap(err))
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil || response.StatusCode >= 300 {
		return nil, fault.New(fault.Conflict, "the report was not taken: %s answered with %s", t.Where(), response.Status)
	}
	return answer, nil
}
