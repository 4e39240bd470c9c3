package brokers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// kafkaBroker is kfake, with a topic of five partitions.
type kafkaBroker struct {
	dir     string
	port    int
	running *kfake.Cluster
}

func newKafka(t *testing.T) broker {
	k := &kafkaBroker{dir: t.TempDir(), port: free(t)}
	t.Cleanup(func() { k.stop(t) })
	return k
}

func (k *kafkaBroker) target() (string, string) {
	return fmt.Sprintf("kafka://ann@127.0.0.1:%d/fixes?sasl=scram-sha-256", k.port), "k-secret"
}

func (k *kafkaBroker) nowhere() string {
	return fmt.Sprintf("kafka://ann@127.0.0.1:%d/elsewhere?sasl=scram-sha-256", k.port)
}

func (k *kafkaBroker) start(t *testing.T) {
	running, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(k.port), kfake.SeedTopics(5, "fixes"), kfake.DataDir(k.dir),
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "ann", "k-secret"))
	require.NoError(t, err)
	k.running = running
}

func (k *kafkaBroker) stop(*testing.T) { k.running.Close() }

func (k *kafkaBroker) all(t *testing.T) []received {
	over, err := kgo.NewClient(kgo.SeedBrokers(k.running.ListenAddrs()...), kgo.ConsumeTopics("fixes"), kgo.FetchMaxWait(100*time.Millisecond),
		kgo.SASL(scram.Auth{User: "ann", Pass: "k-secret"}.AsSha256Mechanism()))
	require.NoError(t, err)
	defer over.Close()
	left := 0
	for partition := range int32(5) {
		if info := k.running.PartitionInfo("fixes", partition); info != nil {
			left += int(info.HighWatermark)
		}
	}
	var got []received
	for len(got) < left {
		for record := range over.PollFetches(t.Context()).RecordsAll() {
			id := ""
			for _, header := range record.Headers {
				if header.Key == "id" {
					id = string(header.Value)
				}
			}
			got = append(got, received{id, string(record.Key), record.Value})
		}
	}
	return got
}
