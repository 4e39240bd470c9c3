package publisher

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// kafkaTarget is a topic of Kafka. The key of a record is the workflow, so that one partition has all of it; all replicas in
// sync have a record before it is taken, and the producer is idempotent.
type kafkaTarget struct{ target }

// kafkaDelivery bounds how long a record waits to be taken.
const kafkaDelivery = 5 * time.Second

func (t *kafkaTarget) connect(ctx context.Context) (connection, error) {
	secret, err := t.secret(ctx)
	if err != nil {
		return nil, err
	}
	c := &kafkaConnection{}
	options := []kgo.Opt{
		kgo.SeedBrokers(t.host("9092")), kgo.ClientID("kintsugi"), kgo.DefaultProduceTopic(t.path()), kgo.Dialer(c.keep(t.sinks.dial(t.reach))),
		kgo.RecordDeliveryTimeout(kafkaDelivery), kgo.AllowIdempotentProduceCancellation(), kgo.UnknownTopicRetries(0), kgo.ProducerLinger(0),
	}
	if t.url.Scheme == "kafka+tls" {
		options = append(options, kgo.DialTLSConfig(t.tls()))
	}
	if user := t.url.User.Username(); user != "" {
		how, err := mechanism(t.url.Query().Get("sasl"), user, secret)
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.SASL(how))
	}
	if c.over, err = kgo.NewClient(options...); err != nil {
		return nil, err
	}
	// It says at once why a broker cannot be reached, where a record would wait for one.
	if err := c.over.Ping(ctx); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func mechanism(name, user, password string) (sasl.Mechanism, error) {
	switch name {
	case "", "plain":
		return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
	case "scram-sha-256":
		return scram.Auth{User: user, Pass: password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return scram.Auth{User: user, Pass: password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("%q is no way to log in: use sasl=plain, scram-sha-256 or scram-sha-512", name)
}

type kafkaConnection struct {
	over *kgo.Client

	mu    sync.Mutex
	lines []net.Conn
}

// keep remembers connections: the client, as it closes, waits for answers on them.
func (c *kafkaConnection) keep(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		line, err := dial(ctx, network, address)
		if err == nil {
			c.mu.Lock()
			c.lines = append(c.lines, line)
			c.mu.Unlock()
		}
		return line, err
	}
}

func (c *kafkaConnection) send(ctx context.Context, out Outgoing) (string, error) {
	body, contentType := out.Sent()
	record := &kgo.Record{Key: []byte(out.Key), Value: body, Headers: []kgo.RecordHeader{
		{Key: "content-type", Value: []byte(contentType)}, {Key: "id", Value: []byte(out.ID)},
	}}
	err := c.over.ProduceSync(ctx, record).FirstErr()
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return "", fmt.Errorf("there is no topic %s: make it, and the event comes", c.over.OptValue(kgo.DefaultProduceTopic))
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("partition %d has it at offset %d", record.Partition, record.Offset), nil
}

func (c *kafkaConnection) close() {
	c.mu.Lock()
	for _, line := range c.lines {
		_ = line.Close()
	}
	c.mu.Unlock()
	c.over.Close()
}
