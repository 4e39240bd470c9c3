package installation_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// egress is the policy after commands, each of which must be taken.
func egress(t *testing.T, asked ...installation.ChangeEgress) installation.State {
	t.Helper()
	var s installation.State
	for _, one := range asked {
		events, err := installation.Decide(s, one, time.Time{})
		require.NoError(t, err)
		for _, e := range events {
			s = installation.Evolve(s, e)
		}
	}
	return s
}

// A closed network is closed in each spelling of its addresses, whatever name led there.
func TestAClosedPlaceIsClosedInEachSpelling(t *testing.T) {
	t.Parallel()
	policy := egress(t, installation.ChangeEgress{Close: []string{"10.0.0.0/8", "127.0.0.0/8", "DB.internal.:5432", "fd12::/16"}}).Egress
	for _, address := range []string{
		"10.0.0.1", "10.255.255.255", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "64:ff9b:1::10.1.2.3", "2002:a01:203::1", "::10.1.2.3",
		"127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0", "::", "fd12::1", "fd12::1%eth0",
		"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "168.63.129.16", "100.100.100.200",
	} {
		require.NotEmpty(t, policy.ClosedBy("any.example", "443", netip.MustParseAddr(address)), address)
	}
	for _, address := range []string{"11.0.0.1", "9.255.255.255", "192.168.1.1", "fd13::1", "::ffff:11.0.0.1", "2002:b01:203::1", "2606:4700::1"} {
		require.Empty(t, policy.ClosedBy("any.example", "443", netip.MustParseAddr(address)), address)
	}
	require.NotEmpty(t, policy.ClosedBy("db.internal", "5432", netip.Addr{}))
	require.NotEmpty(t, policy.ClosedBy("db.internal.", "5432", netip.Addr{}))
	require.Empty(t, policy.ClosedBy("db.internal", "5433", netip.Addr{}))
	require.NotEmpty(t, policy.ClosedBy("metadata.google.internal", "80", netip.Addr{}))
}

// An entry of a workflow's allowed hosts that opens nothing is refused with the command that would open it.
func TestAnAllowedHostThatOpensNothingIsRefused(t *testing.T) {
	t.Parallel()
	policy := egress(t, installation.ChangeEgress{Open: []string{"10.2.0.0/16"}, Owner: "sales"}, installation.ChangeEgress{Open: []string{"192.168.7.7:8080"}}).Egress
	for _, c := range []struct{ tenant, host, why string }{
		{"", "169.254.169.254", "egress remove 169.254.0.0/16"}, {"", "[fd00:ec2::254]:80", "egress remove fd00:ec2::254"}, {"", "Metadata.Google.internal", "closes metadata.google.internal"},
		{"", "127.0.0.1", ""}, {"", "10.9.0.1:99", ""},
		{"sales", "127.0.0.1:8080", "egress open 127.0.0.1:8080 --owner sales"}, {"sales", "[::1]", "not opened"}, {"sales", "[::ffff:10.9.0.1]:80", "not opened"}, {"sales", "0.0.0.0", "not opened"},
		{"sales", "10.2.3.4", ""}, {"sales", "192.168.7.7:8080", ""}, {"sales", "192.168.7.7:8081", "not opened"}, {"sales", "fd00::1", "not opened"}, {"sales", "api.example.com", ""}, {"sales", "8.8.8.8:8443", ""},
		{"other", "10.2.3.4", "not opened"}, {"other", "192.168.7.7:8080", ""},
	} {
		if got := policy.Refuses(c.tenant, c.host); c.why == "" {
			require.Empty(t, got, "%s for %q", c.host, c.tenant)
		} else {
			require.Contains(t, got, c.why, "%s for %q", c.host, c.tenant)
		}
	}
}

// The policy is changed entry by entry, and begins with the metadata services of clouds closed.
func TestEgressIsChangedEntryByEntry(t *testing.T) {
	t.Parallel()
	var s installation.State
	require.Contains(t, s.Egress.WithDefaults().Closed, "169.254.0.0/16")

	s = egress(t, installation.ChangeEgress{Close: []string{"10.1.2.3/8"}}, installation.ChangeEgress{Open: []string{"10.0.0.5"}, Owner: "sales"})
	require.Contains(t, s.Egress.Closed, "10.0.0.0/8")
	require.Contains(t, s.Egress.Closed, "169.254.0.0/16", "what was closed from the beginning stays so")
	require.Equal(t, []installation.EgressOpening{{Place: "10.0.0.5", Owner: "sales"}}, s.Egress.Open)

	again, err := installation.Decide(s, installation.ChangeEgress{Close: []string{"10.0.0.0/8"}}, time.Time{})
	require.NoError(t, err)
	require.Empty(t, again, "what is so already is no event")

	events, err := installation.Decide(s, installation.ChangeEgress{Remove: []string{"10.0.0.0/8", "169.254.0.0/16"}}, time.Time{})
	require.NoError(t, err)
	s = installation.Evolve(s, events[0])
	require.NotContains(t, s.Egress.WithDefaults().Closed, "169.254.0.0/16", "an admin may open a metadata service")

	for _, all := range [][]string{{"metadata.google.internal", "fe80::/10", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"}} {
		events, err = installation.Decide(s, installation.ChangeEgress{Remove: all}, time.Time{})
		require.NoError(t, err)
		s = installation.Evolve(s, events[0])
		require.Empty(t, s.Egress.WithDefaults().Closed, "an empty policy is no policy that nobody wrote")
	}

	for _, c := range []struct {
		asked installation.ChangeEgress
		kind  fault.Kind
		text  string
	}{
		{installation.ChangeEgress{}, fault.Invalid, "name a place"},
		{installation.ChangeEgress{Close: []string{"http://a.example/x"}}, fault.Invalid, "is no place"},
		{installation.ChangeEgress{Close: []string{" "}}, fault.Invalid, "is no place"},
		{installation.ChangeEgress{Close: []string{"a.example:http"}}, fault.Invalid, "is no place"},
		{installation.ChangeEgress{Remove: []string{"1.2.3.4"}}, fault.NotFound, "has no entry 1.2.3.4"},
		{installation.ChangeEgress{Remove: []string{"10.0.0.5"}}, fault.NotFound, "has no entry"},
	} {
		_, err := installation.Decide(s, c.asked, time.Time{})
		require.Equal(t, c.kind, fault.KindOf(err), "%+v", c.asked)
		require.ErrorContains(t, err, c.text)
	}
}

// An owner is a tenant from the first token that edits only what is theirs, and stays one when it is revoked: the settings stay.
func TestATenantIsWhomATokenWasMadeFor(t *testing.T) {
	t.Parallel()
	s := installation.State{}
	for i, one := range []installation.CreateToken{
		{Owner: "reader", Scopes: []installation.Scope{installation.Read}}, {Scopes: []installation.Scope{installation.Edit}}, {Owner: "sales", Scopes: []installation.Scope{installation.Edit}},
	} {
		one.ID, one.Person, one.Hash = string(rune('a'+i)), "ann", strings.Repeat(string(rune('a'+i)), 64)
		events, err := installation.Decide(s, one, time.Time{})
		require.NoError(t, err)
		s = installation.Evolve(s, events[0])
	}
	s = installation.Evolve(s, installation.TokenRevoked{ID: "c"})
	require.Equal(t, []string{"", "", "sales"}, []string{s.Tenant("reader"), s.Tenant(""), s.Tenant("sales")})
}
