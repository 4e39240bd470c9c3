package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// PullRequest is a wish that a branch be merged into another.
type PullRequest struct {
	Number int
	URL    string
	State  string // open, merged or closed
	Head   string // the branch
	Base   string
	Commit string // of the head
}

// Wish is a pull request that is to be opened.
type Wish struct {
	Title, Body, Head, Base string
}

type pull struct {
	Number  int    `json:"number"`
	HTMLURL string `json:"html_url"`
	State   string `json:"state"`
	Merged  bool   `json:"merged"`
	// MergedAt is what lists have in the place of Merged.
	MergedAt *time.Time `json:"merged_at"`
	Head     end        `json:"head"`
	Base     end        `json:"base"`
}

type end struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

func (p pull) request() PullRequest {
	of := PullRequest{Number: p.Number, URL: p.HTMLURL, State: p.State, Head: p.Head.Ref, Base: p.Base.Ref, Commit: p.Head.SHA}
	if p.Merged || p.MergedAt != nil {
		of.State = "merged"
	}
	return of
}

// Open opens a pull request. If one of the same branches is open it is that one: a wish is one wish, however often it is said.
func (f Forge) Open(ctx context.Context, wish Wish) (PullRequest, error) {
	var opened pull
	err := f.ask(ctx, http.MethodPost, "/pulls", map[string]string{"title": wish.Title, "body": wish.Body, "head": f.Owner + ":" + wish.Head, "base": wish.Base}, &opened)
	if err == nil {
		return opened.request(), nil
	}
	// GitHub answers 422 to what is open already, as to much else; Gitea 409.
	if refused, is := errors.AsType[*Error](err); !is || refused.Status != http.StatusConflict && refused.Status != http.StatusUnprocessableEntity {
		return PullRequest{}, err
	}
	found, there, looked := f.find(ctx, wish)
	if looked != nil || !there {
		return PullRequest{}, errors.Join(err, looked)
	}
	return found, nil
}

// pageSize is how many items a forge is asked for at once, and maxPages how often.
const (
	pageSize = 50
	maxPages = 20
)

// find is the open pull request of two branches. GitHub's filter by branch is not Gitea's, so all that are open are looked at.
func (f Forge) find(ctx context.Context, wish Wish) (found PullRequest, there bool, err error) {
	for one, err := range pages[pull](ctx, f, "/pulls?state=open") {
		if err != nil {
			return found, false, err
		}
		if one.Head.Ref == wish.Head && one.Base.Ref == wish.Base {
			return one.request(), true, nil
		}
	}
	return found, false, nil
}

// pages are the items of a list, page by page. Both names of a page's size are sent.
func pages[T any](ctx context.Context, f Forge, path string) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		for page := 1; page <= maxPages; page++ {
			var items []T
			if err := f.ask(ctx, http.MethodGet, fmt.Sprintf("%s%sper_page=%d&limit=%[3]d&page=%d", path, sign, pageSize, page), nil, &items); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range items {
				if !yield(one, nil) {
					return
				}
			}
			if len(items) < pageSize {
				return
			}
		}
	}
}

// Read is a pull request as it is now.
func (f Forge) Read(ctx context.Context, number int) (PullRequest, error) {
	var read pull
	err := f.ask(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d", number), nil, &read)
	return read.request(), err
}

// Comment is what somebody said of a pull request.
type Comment struct {
	ID   string // of its kind and number, the same at each look
	By   string
	Text string
	At   time.Time
	// Path and Hunk are the file that it is about, and the lines; empty if it is about all of it.
	Path, Hunk string
	Asks       bool // it is of a review that asks for changes
}

type said struct {
	ID        int64     `json:"id"`
	Body      string    `json:"body"`
	State     string    `json:"state"`
	CreatedAt time.Time `json:"created_at"`
	Submitted time.Time `json:"submitted_at"`
	Path      string    `json:"path"`
	Hunk      string    `json:"diff_hunk"`
	User      struct {
		Login string `json:"login"`
	} `json:"user"`
}

// Comments are what was said of a pull request, oldest first: in its conversation, and in reviews.
func (f Forge) Comments(ctx context.Context, number int) ([]Comment, error) {
	var all []Comment
	for one, err := range pages[said](ctx, f, fmt.Sprintf("/issues/%d/comments", number)) {
		if err != nil {
			return nil, err
		}
		all = append(all, Comment{ID: fmt.Sprintf("comment %d", one.ID), By: one.User.Login, Text: one.Body, At: one.CreatedAt})
	}
	for review, err := range pages[said](ctx, f, fmt.Sprintf("/pulls/%d/reviews", number)) {
		if err != nil {
			return nil, err
		}
		if review.State == "PENDING" { // nobody but its writer sees it
			continue
		}
		asks := review.State == "CHANGES_REQUESTED" || review.State == "REQUEST_CHANGES"
		if review.Body != "" {
			all = append(all, Comment{ID: fmt.Sprintf("review %d", review.ID), By: review.User.Login, Text: review.Body, At: review.Submitted, Asks: asks})
		}
		for one, err := range pages[said](ctx, f, fmt.Sprintf("/pulls/%d/reviews/%d/comments", number, review.ID)) {
			if err != nil {
				return nil, err
			}
			all = append(all, Comment{ID: fmt.Sprintf("line %d", one.ID), By: one.User.Login, Text: one.Body, At: one.CreatedAt, Path: one.Path, Hunk: one.Hunk, Asks: asks})
		}
	}
	slices.SortStableFunc(all, func(a, b Comment) int { return a.At.Compare(b.At) })
	return all, nil
}

// Check is what a program of the forge found in a commit.
type Check struct {
	Name, Says, URL string
	State           string // pending, passed or failed
}

// Checks are the newest results for a commit: what GitHub calls statuses, which both have, and check runs, which GitHub alone has.
func (f Forge) Checks(ctx context.Context, commit string) ([]Check, error) {
	var combined struct {
		Statuses []struct {
			Context     string `json:"context"`
			State       string `json:"state"`
			Status      string `json:"status"` // Gitea's name for it
			Description string `json:"description"`
			TargetURL   string `json:"target_url"`
		} `json:"statuses"`
	}
	if err := f.ask(ctx, http.MethodGet, "/commits/"+commit+"/status", nil, &combined); err != nil {
		return nil, err
	}
	state := func(words ...string) string {
		for _, word := range words {
			switch word {
			case "success", "neutral", "skipped", "warning":
				return "passed"
			case "failure", "error", "timed_out", "cancelled", "action_required":
				return "failed"
			}
		}
		return "pending"
	}
	var checks []Check
	for _, one := range combined.Statuses {
		checks = append(checks, Check{Name: one.Context, Says: one.Description, URL: one.TargetURL, State: state(one.State, one.Status)})
	}
	var runs struct {
		Runs []struct {
			Name       string `json:"name"`
			Conclusion string `json:"conclusion"`
			HTMLURL    string `json:"html_url"`
			Output     struct {
				Title   string `json:"title"`
				Summary string `json:"summary"`
			} `json:"output"`
		} `json:"check_runs"`
	}
	err := f.ask(ctx, http.MethodGet, "/commits/"+commit+"/check-runs", nil, &runs)
	if refused, is := errors.AsType[*Error](err); is && refused.Status == http.StatusNotFound {
		return checks, nil
	}
	for _, one := range runs.Runs {
		checks = append(checks, Check{Name: one.Name, Says: strings.TrimSpace(one.Output.Title + "\n" + one.Output.Summary), URL: one.HTMLURL, State: state(one.Conclusion)})
	}
	return checks, err
}
