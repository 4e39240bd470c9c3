package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// PullRequest is a wish that a branch be merged into another.
type PullRequest struct {
	Number int
	URL    string
	State  string
}

// Wish is a pull request that is to be opened.
type Wish struct {
	Title, Body, Head, Base string
}

type pull struct {
	Number  int    `json:"number"`
	HTMLURL string `json:"html_url"`
	State   string `json:"state"`
	Head    end    `json:"head"`
	Base    end    `json:"base"`
}

type end struct {
	Ref string `json:"ref"`
}

func (p pull) request() PullRequest {
	return PullRequest{Number: p.Number, URL: p.HTMLURL, State: p.State}
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

// find is the open pull request of two branches. GitHub's filter by branch is not Gitea's, so all that are open are looked at, page by page.
func (f Forge) find(ctx context.Context, wish Wish) (found PullRequest, there bool, err error) {
	for page := 1; page <= maxPages; page++ {
		var open []pull
		// Both names of a page's size are sent: GitHub's and Gitea's.
		if err := f.ask(ctx, http.MethodGet, fmt.Sprintf("/pulls?state=open&per_page=%d&limit=%[1]d&page=%d", pageSize, page), nil, &open); err != nil {
			return found, false, err
		}
		for _, one := range open {
			if one.Head.Ref == wish.Head && one.Base.Ref == wish.Base {
				return one.request(), true, nil
			}
		}
		if len(open) < pageSize {
			break
		}
	}
	return found, false, nil
}
