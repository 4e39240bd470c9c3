package installation

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Scope is what a token allows.
type Scope string

// The scopes. None implies another one but admin, which is all of them.
const (
	Read    Scope = "read"    // look at everything
	Run     Scope = "run"     // start, stop and continue runs; send inputs
	Edit    Scope = "edit"    // create and change workflows, scripts, settings
	Judge   Scope = "decide"  // answer what waits for a person: fixes, questions, writes in doubt
	Admin   Scope = "admin"   // all of it, and what is for the whole installation: tokens, caps, subscriptions, secrets
	Metrics Scope = "metrics" // scrape measurements
)

// Scopes are all of them.
func Scopes() []Scope { return []Scope{Read, Run, Edit, Judge, Admin, Metrics} }

// Holder is who holds a token.
type Holder string

// The holders.
const (
	HeldByPerson  Holder = ""
	HeldByAgent   Holder = "agent"   // a language model that acts of its own: what it writes is no person's word
	HeldByProgram Holder = "program" // a pipeline, which saves what people decided
)

// Token is one that was made.
type Token struct{ TokenCreated }

// Allows says that what the token stands for includes a scope.
func (t Token) Allows(scope Scope) bool {
	return slices.Contains(t.Scopes, scope) || slices.Contains(t.Scopes, Admin)
}

// Session says that the token is of a browser in which a person signed in.
func (t Token) Session() bool { return t.Parent != "" || t.Account != Account{} }

// Standing is why a token lets nobody in, or that it does.
type Standing string

// How a token stands.
const (
	Valid   Standing = "valid"
	Expired Standing = "expired"
	Revoked Standing = "revoked"
)

// Standing says whether a token lets anybody in at a moment. A session stands as the token does that it began with.
func (s State) Standing(id string, now time.Time) Standing {
	token, known := s.Tokens[id]
	switch {
	case !known || s.revoked[id]:
		return Revoked
	case !token.Expires.IsZero() && !now.Before(token.Expires):
		return Expired
	case token.Parent != "":
		return s.Standing(token.Parent, now)
	}
	return Valid
}

// TokenByHash is the token of which something with this hash was shown.
func (s State) TokenByHash(hash string) (Token, bool) {
	token, known := s.Tokens[s.hashes[hash]]
	return token, known
}

var isHash = regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString

func (s State) createToken(c CreateToken, now time.Time) ([]event.Event, error) {
	_, taken := s.Tokens[c.ID]
	_, known := s.hashes[c.Hash]
	switch {
	case c.ID == "" || !isHash(c.Hash):
		return nil, fault.New(fault.Internal, "a token needs an id and the SHA-256 of what is shown")
	case taken || known:
		return nil, fault.New(fault.Conflict, "there is such a token already: make another one")
	case strings.TrimSpace(c.Person) == "" || len(c.Person) > maxName || strings.ContainsFunc(c.Person, isControl):
		return nil, fault.New(fault.Invalid, "who acts with the token? Name a person, in at most %d bytes without control characters", maxName)
	case len(c.Name) > maxName || strings.ContainsFunc(c.Name, isControl):
		return nil, fault.New(fault.Invalid, "the name of the token is over %d bytes, or has control characters", maxName)
	case !slices.Contains([]Holder{HeldByPerson, HeldByAgent, HeldByProgram}, c.Holder):
		return nil, fault.New(fault.Invalid, "a token is held by a person, an agent or a program, not by %q", c.Holder)
	case c.Holder == HeldByAgent && slices.Contains(c.Scopes, Admin):
		return nil, fault.New(fault.Invalid, "admin decides how far agents may go: a token that an agent holds cannot have it")
	case len(c.Scopes) == 0:
		return nil, fault.New(fault.Invalid, "what does the token allow? Give it one or more of: %s", ScopesText())
	case c.Account != Account{} && (c.Account.Issuer == "" || c.Account.Subject == "" || c.Parent != "" || c.Expires.IsZero() || c.Holder != HeldByPerson):
		return nil, fault.New(fault.Internal, "a session of an organisation's account is a person's, with an issuer, a subject and an end, and with no token before it")
	case !c.Expires.IsZero() && !now.Before(c.Expires):
		return nil, fault.New(fault.Invalid, "the token would have expired already, on %s", c.Expires.Format(time.RFC3339))
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(Scopes(), scope) {
			return nil, fault.New(fault.Invalid, "%q is nothing that a token can allow: there are %s", scope, ScopesText())
		}
	}
	for _, whole := range []Scope{Admin, Metrics} {
		if c.Owner != "" && slices.Contains(c.Scopes, whole) {
			return nil, fault.New(fault.Invalid, "%s is for the whole installation: a token for the workflows of %s cannot have it", whole, c.Owner)
		}
	}
	if c.Parent != "" {
		if standing := s.Standing(c.Parent, now); standing != Valid {
			return nil, fault.New(fault.Forbidden, "a session cannot begin with a token that is %s", standing)
		}
	}
	scopes := slices.Clone(c.Scopes)
	slices.Sort(scopes)
	return []event.Event{TokenCreated{
		ID: c.ID, Hash: c.Hash, Name: c.Name, Person: c.Person, Holder: c.Holder, Scopes: slices.Compact(scopes), Owner: c.Owner, Expires: c.Expires, Parent: c.Parent, Account: c.Account,
	}}, nil
}

// maxName bounds names.
const maxName = 200

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// ScopesText lists the scopes, for a message.
func ScopesText() string {
	var names []string
	for _, scope := range Scopes() {
		names = append(names, string(scope))
	}
	return strings.Join(names, ", ")
}
