package publisher_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
)

// Rule: what the installation closes is reached by no spelling of it from a subscription of an owner, also of one that allows private addresses:
// neither the target nor who gives it tokens.
func TestAClosedPlaceIsNoTargetOfAnOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	_, err := p.commands.ChangeEgress(t.Context(), installation.ChangeEgress{Close: []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8"}}, ann)
	require.NoError(t, err)
	sinks := p.sinks()
	sinks.Named = func(context.Context, string, string, string) (string, bool, error) { return "s3cret", true, nil }
	sinks.Closed = func(ctx context.Context, owner, host, port string, address netip.Addr) (string, error) {
		return egress.Closed(ctx, p.commands, owner)(host, port, address)
	}
	out, err := publisher.Sample(uuid.NewString(), "chat", time.Now())
	require.NoError(t, err)
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "[::ffff:10.0.0.1]", "[::ffff:a00:1]",
		"169.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]",
	} {
		for _, d := range []subscription.Definition{
			{Target: "webhook:http://" + host + ":1/"},
			{Target: "redis://" + host + ":1/0?stream=s"},
			{Target: "webhook:https://a.example/", OAuth: &subscription.OAuth{TokenURL: "http://" + host + ":1/token", ClientID: "k", Secret: "s"}},
		} {
			d.AllowPrivate, d.Owner = true, "ann"
			sink, err := sinks.Open("chat", d)
			require.NoError(t, err)
			_, err = sink.Send(t.Context(), out)
			sink.Close()
			require.ErrorContains(t, err, "is closed to all scripts by the installation", "%s: %s", host, d.Target)
		}
	}
}
