package publisher

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/schemas"
)

// TypePrefix comes before the type of an event in what is delivered.
const TypePrefix = "kintsugi."

// Outgoing is an event as it is delivered.
type Outgoing struct {
	ID   string
	Key  string // of the partition: events that have to stay in order have the same
	Body []byte // a CloudEvent, in JSON
	// Shaped is what the transform of the subscription made of it, and is sent in its place, with its content type. Nil if there is none.
	Shaped     []byte
	ShapedType string
}

// Sent is the body as it is sent, with its content type.
func (o Outgoing) Sent() (body []byte, contentType string) {
	if o.Shaped != nil {
		return o.Shaped, o.ShapedType
	}
	return o.Body, StructuredType
}

// StructuredType is the content type of the body.
const StructuredType = "application/cloudevents+json; charset=utf-8"

// event reads the body.
func (o Outgoing) event() (cloudEvent, error) {
	var one cloudEvent
	err := json.Unmarshal(o.Body, &one)
	return one, err
}

// cloudEvent is CloudEvents 1.0 in the structured JSON form. Names of extensions are small letters only.
type cloudEvent struct {
	SpecVersion  string          `json:"specversion"`
	ID           string          `json:"id"`
	Source       string          `json:"source"`
	Type         string          `json:"type"`
	Subject      string          `json:"subject,omitempty"`
	Time         time.Time       `json:"time"`
	ContentType  string          `json:"datacontenttype,omitempty"`
	DataSchema   string          `json:"dataschema,omitempty"` // of the whole payload
	PartitionKey string          `json:"partitionkey"`         // the workflow
	Sequence     string          `json:"sequence"`             // the revision in the source
	Position     string          `json:"position,omitempty"`   // in the log, to replay from
	Version      int             `json:"schemaversion"`        // of the type
	Traceparent  string          `json:"traceparent,omitempty"`
	Data         json.RawMessage `json:"data,omitempty"`
}

// Encode makes the delivered form of an event.
func Encode(record eventlog.Record, payload subscription.Payload) (Outgoing, error) {
	metadata, err := event.ReadMetadata(record.Metadata)
	if err != nil {
		return Outgoing{}, err
	}
	one := cloudEvent{
		SpecVersion: "1.0", ID: record.ID, Source: "/streams/" + record.Stream, Type: TypePrefix + record.Type, Subject: metadata.Subject,
		Time: metadata.RecordedAt, PartitionKey: strings.TrimPrefix(metadata.Subject, workflow.Subject("")), Sequence: strconv.FormatInt(record.Revision, 10),
		Position: string(record.Position), Version: record.SchemaVersion, Traceparent: metadata.Traceparent,
	}
	if eventlog.IsErased(record.Payload) {
		payload = subscription.References // what it said is gone
	}
	if one.Data, err = dataOf(record, payload); err != nil {
		return Outgoing{}, err
	}
	if one.Data != nil {
		one.ContentType = "application/json"
	}
	if payload == subscription.Full {
		one.DataSchema = schemas.URL(record.Type, record.SchemaVersion)
	}
	body, err := event.Marshal(one)
	return Outgoing{ID: record.ID, Key: one.PartitionKey, Body: body}, err
}

// dataOf is what a subscriber may see of a payload. Agents quote code wherever they speak, so without code nothing of a
// thread is told.
func dataOf(record eventlog.Record, payload subscription.Payload) (json.RawMessage, error) {
	switch {
	case payload == subscription.References, payload == subscription.NoCode && strings.HasPrefix(record.Stream, thread.StreamPrefix):
		return nil, nil
	case payload == subscription.Full:
		return record.Payload, nil
	}
	var value any
	if err := json.Unmarshal(record.Payload, &value); err != nil {
		return nil, fmt.Errorf("the payload is no JSON: %w", err)
	}
	return event.Marshal(withoutCode(value))
}

// withoutCode leaves out scripts and what compares them. The code of a failure, which has a class, is no script.
func withoutCode(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "diff")
		delete(value, "packed") // of packages
		if _, failure := value["class"]; !failure {
			delete(value, "code")
		}
		for key, inner := range value {
			value[key] = withoutCode(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = withoutCode(inner)
		}
	}
	return value
}

// Sample is an event that never happened, to try a target with.
func Sample(id, name string, now time.Time) (Outgoing, error) {
	data, err := json.Marshal(map[string]string{"message": "This event never happened: 'kintsugi subscription test " + name + "' sent it."})
	if err != nil {
		return Outgoing{}, err
	}
	body, err := event.Marshal(cloudEvent{
		SpecVersion: "1.0", ID: id, Source: "/streams/" + subscription.Stream(name), Type: TypePrefix + "test", Subject: subscription.Subject(name), Time: now.UTC(),
		ContentType: "application/json", PartitionKey: "test", Sequence: "0", Version: 1, Data: data,
	})
	return Outgoing{ID: id, Key: "test", Body: body}, err
}
