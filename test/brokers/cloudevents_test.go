package brokers_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
)

// The library of those who specify CloudEvents reads what a webhook is sent, in the structured form and in the binary
// one, and both say the same.
func TestTheirLibraryReadsOurEvents(t *testing.T) {
	t.Parallel()
	out := events(t, 1, "w")["w"][0]
	for _, inBinary := range []bool{false, true} {
		read := make(chan func(*testing.T), 1)
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			message := cehttp.NewMessageFromHttpRequest(r)
			one, err := binding.ToEvent(context.WithoutCancel(r.Context()), message)
			read <- func(t *testing.T) {
				require.NoError(t, err)
				require.NoError(t, one.Validate())
				want := binding.EncodingStructured
				if inBinary {
					want = binding.EncodingBinary
				}
				require.Equal(t, want, message.ReadEncoding())
				require.Equal(t, "1.0", one.SpecVersion())
				require.Equal(t, out.ID, one.ID())
				require.Equal(t, out.Key, one.Extensions()["partitionkey"])
				require.Regexp(t, `^kintsugi\.`, one.Type())
				require.Regexp(t, `^/streams/workflow-w$`, one.Source())
				require.NotEmpty(t, one.Extensions()["sequence"])
				require.False(t, one.Time().IsZero())
				require.Equal(t, "application/json", one.DataContentType())
				require.True(t, bytes.HasPrefix(one.Data(), []byte("{")), "%s", one.Data())
			}
		}))
		t.Cleanup(receiver.Close)
		sinks := publisher.Sinks{Now: time.Now, Secret: func(context.Context, string, string) (string, bool, error) { return publisher.NewKey(), true, nil }}
		sink, err := sinks.Open("theirs", subscription.Definition{Target: "webhook:" + receiver.URL, AllowPrivate: true, Binary: inBinary})
		require.NoError(t, err)
		t.Cleanup(sink.Close)
		require.NoError(t, send(t, sink, out))
		(<-read)(t)
	}
}
