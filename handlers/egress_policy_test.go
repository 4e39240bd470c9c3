package handlers_test

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// tenant makes of ann one of the installation's tenants: there is a token that edits her workflows only.
func (n *node) tenant() {
	n.t.Helper()
	_, err := n.commands.CreateToken(context.Background(), installation.CreateToken{
		ID: uuid.NewString(), Person: "sam", Owner: "ann", Scopes: []installation.Scope{installation.Edit}, Hash: strings.Repeat("ab", 32),
	}, person())
	require.NoError(n.t, err)
}

func (n *node) changeEgress(c installation.ChangeEgress) {
	n.t.Helper()
	_, err := n.commands.ChangeEgress(context.Background(), c, person())
	require.NoError(n.t, err)
}

// A run reaches no place that the installation closes, nor a private one that is not open to its tenant, whatever the workflow's
// settings allow and however the place is spelled. It fails for want of permission, and goes there once an admin opens the place.
func TestTheInstallationDecidesWhereRunsMayGo(t *testing.T) {
	t.Parallel()
	const code = "async function main(input) { return (await web.fetch(input.url)).status; }"
	for name, c := range map[string]struct {
		before, opens installation.ChangeEgress
		tenant        bool
		says          string
	}{
		"closed to all": {
			before: installation.ChangeEgress{Close: []string{"127.0.0.0/8", "::1/128"}}, opens: installation.ChangeEgress{Remove: []string{"127.0.0.0/8", "::1/128"}},
			says: "is closed to all scripts by the installation (127.0.0.0/8)",
		},
		"not open to the tenant": {tenant: true, before: installation.ChangeEgress{Open: []string{"127.0.0.0/8"}, Owner: "bob"}, opens: installation.ChangeEgress{Open: []string{"127.0.0.0/8", "::1/128"}, Owner: "ann"}, says: "egress open 127.0.0.1 --owner ann"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			port := netip.MustParseAddrPort(n.outside.host()).Port()
			hosts := []string{"127.0.0.1", "localhost", "127.9.9.9", "0.0.0.0", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"}
			// Allowed before there was a policy: settings that were written outlive what is decided later.
			id := n.create(code, workflow.Settings{AllowedHosts: []string{"127.0.0.1", "localhost", "127.9.9.9", "0.0.0.0", "::ffff:127.0.0.1"}})
			n.runs(id, fmt.Sprintf(`{"url":"http://127.0.0.1:%d/"}`, port))
			require.Equal(t, 1, n.outside.count("GET /"))

			if c.tenant {
				n.tenant()
			}
			n.changeEgress(c.before)
			for _, host := range hosts {
				n.runs(id, fmt.Sprintf(`{"url":"http://%s:%d/"}`, host, port))
				require.Equal(t, 1, n.outside.count("GET /"), "a request to %s arrived", host)
				require.Equal(t, workflow.StatusWaiting, n.state(id).Status, host)
				failed, err := n.commands.LoadRun(t.Context(), n.state(id).Waiting.Run)
				require.NoError(t, err)
				require.NotContains(t, projections.AccessActions(*failed.Failure), projections.ActionAllowHost, "no setting of the workflow opens %s", host)
				_, err = n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
				require.NoError(t, err)
			}
			_, err := n.commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: []string{"127.0.0.2"}}}, person())
			require.Equal(t, fault.Invalid, fault.KindOf(err), "an entry that opens nothing is refused when it is written: %v", err)

			n.changeEgress(c.opens)
			n.runs(id, fmt.Sprintf(`{"url":"http://127.0.0.1:%d/"}`, port))
			require.Equal(t, 2, n.outside.count("GET /"))
		})
	}
}

// The address that is dialled decides, for 60 spellings of places that nobody may reach, whatever a workflow allows.
func TestAClosedPlaceIsReachedByNoSpelling(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.tenant()
	hosts := []string{
		"169.254.169.254", "169.254.0.1", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[64:ff9b::169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
		"[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[2002:a9fe:a9fe::1]", "[::a9fe:a9fe]", "[fe80::1]", "[fe80::a9fe:a9fe]", "[fd00:ec2::254]", "[fd00:0ec2:0:0:0:0:0:254]",
		"168.63.129.16", "[::ffff:168.63.129.16]", "[64:ff9b::a83f:8110]", "100.100.100.200", "[::ffff:100.100.100.200]", "metadata.google.internal", "METADATA.google.internal", "metadata.google.internal.",
		"169.254.169.254.", "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.254.43518", "169.16689662", "0xA9FEA9FE.", "025177524776",
		"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.255.255.254", "0.0.0.0", "0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "10.0.0.1", "[::ffff:10.0.0.1]", "172.16.0.1", "192.168.0.1", "[::ffff:192.168.0.1]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]",
	}
	require.GreaterOrEqual(t, len(hosts), 60)
	for _, host := range hosts {
		at, err := url.Parse("http://" + host + "/latest/meta-data")
		require.NoError(t, err, host)
		live := hostcall.NewHost(&hostcall.Env{
			State: &hostcall.Memory{}, AllowedHosts: []string{at.Hostname(), strings.TrimSuffix(strings.ToLower(at.Hostname()), ".")}, Closed: egress.Closed(t.Context(), n.commands, "ann"),
		})
		reply, err := live.Call(t.Context(), hostcall.Get(at.String(), nil))
		live.Close()
		require.NoError(t, err, host)
		require.NotNil(t, reply.Error, host)
		if reply.Error.Class != sandbox.ClassPermission { // a name that no resolver knows leads nowhere
			require.Equal(t, hostcall.CodeUnknownHost, reply.Error.Code, "%s: %s", host, reply.Error.Message)
		}
	}
}
