package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// Tokens lets people and programs in.
type Tokens struct {
	Commands *commands.Commands
	Now      func() time.Time
}

// The beginning of every token, so that scanners of sources and logs find one that was left there.
const (
	TokenPrefix   = "kin_pat_"
	sessionPrefix = "kin_ses_"
)

// tokenBytes is how much of a token is random.
const tokenBytes = 32

// Token is a token as people see it. The secret that lets in is said once, when it is made.
type Token struct {
	ID       string                `json:"id"`
	Name     string                `json:"name,omitempty"`
	Person   string                `json:"person"`
	Holder   installation.Holder   `json:"holder,omitempty" enum:"agent,program" doc:"Who holds it, if that is not the person"`
	Scopes   []installation.Scope  `json:"scopes"`
	Owner    string                `json:"owner,omitempty" doc:"It sees the workflows of this owner only"`
	Expires  time.Time             `json:"expires,omitzero"`
	Session  bool                  `json:"session,omitempty" doc:"Somebody signed in on the page"`
	Account  *installation.Account `json:"account,omitempty"` // of an organisation, that they signed in with
	This     bool                  `json:"this,omitempty" doc:"It is the one that asks"`
	Standing installation.Standing `json:"standing" enum:"valid,expired,revoked"`
	Token    string                `json:"token,omitempty" doc:"What has to be shown. It is said once and kept nowhere"`
}

// Caller is somebody from outside who was let in.
type Caller struct{ installation.Token }

// Actor is how the history names them.
func (c Caller) Actor() string { return "person:" + c.Person }

// Meta is of a command that they give.
func (c Caller) Meta() commands.Meta {
	meta := By(c.Actor())
	meta.Holder = c.Holder
	return meta
}

// AsAgent is the caller for whom an agent speaks.
func (c Caller) AsAgent() Caller {
	c.Holder = installation.HeldByAgent
	return c
}

// OwnerAsked is the owner whose things a caller asks for; empty for everybody's. A token of one owner asks for no other's.
func (c Caller) OwnerAsked(named string) (string, error) {
	if c.Owner != "" && named != "" && named != c.Owner {
		return "", fault.New(fault.Forbidden, "your token is for the owner %s, not for %s: leave the owner out, or ask an admin for a token", c.Owner, named)
	}
	return cmp.Or(c.Owner, named), nil
}

// Sees says that workflows of an owner are for the caller.
func (c Caller) Sees(owner string) bool { return c.Owner == "" || c.Owner == owner }

func hashOfToken(shown string) string {
	sum := sha256.Sum256([]byte(shown))
	return hex.EncodeToString(sum[:])
}

func randomToken(prefix string) string {
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // it never fails
	return prefix + base64.RawURLEncoding.EncodeToString(secret)
}

// Create makes a token; what it returns has what is to be shown.
func (t *Tokens) Create(ctx context.Context, meta commands.Meta, create installation.CreateToken) (Token, error) {
	prefix := TokenPrefix
	if create.Parent != "" || create.Account != (installation.Account{}) {
		prefix = sessionPrefix
	}
	shown := randomToken(prefix)
	create.ID, create.Hash = NewID(), hashOfToken(shown)
	if _, err := t.Commands.CreateToken(ctx, create, meta); err != nil {
		return Token{}, err
	}
	state, err := t.Commands.LoadInstallation(ctx)
	if err != nil {
		return Token{}, err
	}
	made := t.shown(state, state.Tokens[create.ID])
	made.Token = shown
	return made, nil
}

// First makes a token for everything if there never was one: it is how the first person gets in.
func (t *Tokens) First(ctx context.Context, person string) (*Token, error) {
	state, err := t.Commands.LoadInstallation(ctx)
	if err != nil || len(state.Tokens) > 0 {
		return nil, err
	}
	made, err := t.Create(ctx, By("person:"+person), installation.CreateToken{
		Name: "first", Person: person, Scopes: []installation.Scope{installation.Admin},
	})
	return &made, err
}

// List are those that were made, the newest first; those that let nobody in only if all is said.
func (t *Tokens) List(ctx context.Context, all bool) ([]Token, error) {
	state, err := t.Commands.LoadInstallation(ctx)
	if err != nil {
		return nil, err
	}
	tokens := []Token{}
	for _, one := range state.Tokens {
		if shown := t.shown(state, one); all || shown.Standing == installation.Valid {
			tokens = append(tokens, shown)
		}
	}
	slices.SortFunc(tokens, func(a, b Token) int { return cmp.Compare(b.ID, a.ID) })
	return tokens, nil
}

func (t *Tokens) shown(state installation.State, one installation.Token) Token {
	shown := Token{
		ID: one.ID, Name: one.Name, Person: one.Person, Holder: one.Holder, Scopes: one.Scopes, Owner: one.Owner, Expires: one.Expires,
		Session: one.Session(), Standing: state.Standing(one.ID, t.Now()),
	}
	if one.Account != (installation.Account{}) {
		shown.Account = &one.Account
	}
	return shown
}

// Sessions are the browsers in which a person is signed in, the newest first; for an admin, in which anybody is.
func (t *Tokens) Sessions(ctx context.Context, caller Caller) ([]Token, error) {
	if caller.Holder != installation.HeldByPerson {
		return nil, fault.New(fault.Forbidden, "sessions are of people, and your token is held by %s", caller.Holder)
	}
	all, err := t.List(ctx, false)
	if err != nil {
		return nil, err
	}
	sessions := []Token{}
	for _, one := range all {
		if one.Session && (one.Person == caller.Person || caller.Allows(installation.Admin)) {
			one.This = one.ID == caller.ID
			sessions = append(sessions, one)
		}
	}
	return sessions, nil
}

// Resolve is the id of a token that a person names by its id, its name or a part of the id.
func (t *Tokens) Resolve(ctx context.Context, reference string) (string, error) {
	tokens, err := t.List(ctx, true)
	if err != nil {
		return "", err
	}
	all := make([]resolvable, len(tokens))
	for i, one := range tokens {
		all[i] = resolvable{id: one.ID, title: one.Name}
	}
	return resolve("token", reference, "kintsugi token list", all)
}

// Caller is who shows a token. The refusal does not say whether there ever was such a token, but that it has expired.
func (t *Tokens) Caller(ctx context.Context, shown string) (Caller, error) {
	state, err := t.Commands.LoadInstallation(ctx)
	if err != nil {
		return Caller{}, err
	}
	token, known := state.TokenByHash(hashOfToken(shown))
	if known {
		switch state.Standing(token.ID, t.Now()) {
		case installation.Valid:
			return Caller{token}, nil
		case installation.Expired:
			return Caller{}, fault.New(fault.Forbidden, "the token has expired: ask for another one, or make one with 'kintsugi token create'")
		}
	}
	return Caller{}, fault.New(fault.Forbidden, "the token is not known here: see 'kintsugi token create'")
}
