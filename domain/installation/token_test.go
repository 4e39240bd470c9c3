package installation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
)

func hash(of string) string { return strings.Repeat(of, 64) }

// A token lets in who shows it, until it is revoked or has expired.
func TestATokenLetsInUntilItDoesNot(t *testing.T) {
	t.Parallel()
	later := scenario.Start.Add(time.Hour)
	made := given(t).When(CreateToken{ID: "a", Hash: hash("a"), Person: "ann", Scopes: []Scope{Run, Read, Read}, Expires: later}).
		Then(TokenCreated{ID: "a", Hash: hash("a"), Person: "ann", Scopes: []Scope{Read, Run}, Expires: later})
	token, known := made.State().TokenByHash(hash("a"))
	require.True(t, known)
	require.True(t, token.Allows(Run))
	require.False(t, token.Allows(Judge))
	require.Equal(t, Valid, made.State().Standing("a", later.Add(-1)))
	require.Equal(t, Expired, made.State().Standing("a", later))
	revoked := made.When(RevokeToken{ID: "a", Reason: "lost"}).Then(TokenRevoked{ID: "a", Reason: "lost"})
	require.Equal(t, Revoked, revoked.State().Standing("a", scenario.Start))
	revoked.When(RevokeToken{ID: "a"}).Then()
	made.When(RevokeToken{ID: "b"}).ThenRefused(fault.NotFound, "no token")
	_, known = made.State().TokenByHash("")
	require.False(t, known)
}

// A session ends with the token that it was begun with.
func TestASessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	of := given(t, TokenCreated{ID: "a", Hash: hash("a"), Person: "ann", Scopes: []Scope{Admin}})
	session := of.When(CreateToken{ID: "s", Hash: hash("b"), Person: "ann", Scopes: []Scope{Admin}, Parent: "a"}).
		Then(TokenCreated{ID: "s", Hash: hash("b"), Person: "ann", Scopes: []Scope{Admin}, Parent: "a"})
	require.Equal(t, Valid, session.State().Standing("s", scenario.Start))
	ended := session.And(TokenRevoked{ID: "a"})
	require.Equal(t, Revoked, ended.State().Standing("s", scenario.Start))
	ended.When(CreateToken{ID: "t", Hash: hash("c"), Person: "ann", Scopes: []Scope{Read}, Parent: "a"}).ThenRefused(fault.Forbidden, "revoked")
}

// A session of an organisation's account is a person's, and ends.
func TestASessionOfAnAccountEnds(t *testing.T) {
	t.Parallel()
	end := scenario.Start.Add(time.Hour)
	account := Account{Issuer: "https://login.example.com", Subject: "1f"}
	made := given(t).When(CreateToken{ID: "s", Hash: hash("a"), Person: "ann", Scopes: []Scope{Read}, Expires: end, Account: account}).
		Then(TokenCreated{ID: "s", Hash: hash("a"), Person: "ann", Scopes: []Scope{Read}, Expires: end, Account: account})
	require.True(t, made.State().Tokens["s"].Session())
	require.Equal(t, Expired, made.State().Standing("s", end))
	for _, create := range []CreateToken{
		{Account: account},
		{Account: account, Expires: end, Parent: "t"},
		{Account: account, Expires: end, Holder: HeldByAgent},
		{Account: Account{Issuer: account.Issuer}, Expires: end},
		{Account: Account{Subject: account.Subject}, Expires: end},
	} {
		create.ID, create.Hash, create.Person, create.Scopes = "s", hash("a"), "ann", []Scope{Read}
		given(t, TokenCreated{ID: "t", Hash: hash("b"), Person: "ann", Scopes: []Scope{Read}}).When(create).ThenRefused(fault.Internal, "with an issuer, a subject and an end")
	}
}

// Admin is everything, and for nobody who sees a part only.
func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	admin, _ := given(t, TokenCreated{ID: "a", Hash: hash("a"), Person: "ann", Scopes: []Scope{Admin}}).State().TokenByHash(hash("a"))
	for _, scope := range Scopes() {
		require.True(t, admin.Allows(scope))
	}
	for _, one := range []struct {
		create CreateToken
		kind   fault.Kind
		says   string
	}{
		{CreateToken{ID: "b", Hash: "short", Person: "ann", Scopes: []Scope{Read}}, fault.Internal, "SHA-256"},
		{CreateToken{ID: "a", Hash: hash("b"), Person: "ann", Scopes: []Scope{Read}}, fault.Conflict, "already"},
		{CreateToken{ID: "b", Hash: hash("a"), Person: "ann", Scopes: []Scope{Read}}, fault.Conflict, "already"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: " ", Scopes: []Scope{Read}}, fault.Invalid, "Name a person"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann\n", Scopes: []Scope{Read}}, fault.Invalid, "Name a person"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Name: "\x1b", Scopes: []Scope{Read}}, fault.Invalid, "control"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann"}, fault.Invalid, "one or more of"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{"all"}}, fault.Invalid, "nothing that a token can allow"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{Admin}, Owner: "ann"}, fault.Invalid, "whole installation"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{Read, Metrics}, Owner: "ann"}, fault.Invalid, "metrics is for the whole installation"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{Admin}, Holder: HeldByAgent}, fault.Invalid, "how far agents may go"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{Read}, Holder: "robot"}, fault.Invalid, "a person, an agent or a program"},
		{CreateToken{ID: "b", Hash: hash("b"), Person: "ann", Scopes: []Scope{Read}, Expires: scenario.Start}, fault.Invalid, "expired already"},
	} {
		given(t, TokenCreated{ID: "a", Hash: hash("a"), Person: "ann", Scopes: []Scope{Admin}}).When(one.create).ThenRefused(one.kind, one.says)
	}
}
