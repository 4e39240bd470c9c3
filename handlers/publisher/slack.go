package publisher

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// slack posts to an incoming webhook of Slack, whose address is a secret: its path is in the vault. Texts of others
// are in blocks of plain text, in which Slack reads no links, mentions and marks; where it would, they are escaped.
type slack struct {
	target

	client *http.Client
}

// Limits of Slack.
const (
	slackText = 2900 // bytes of a block, of 3,000 characters
	slackLink = 3000
)

type slackWords struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji *bool  `json:"emoji,omitempty"` // of plain_text; false leaves :names: as they are
}

type slackButton struct {
	Type string     `json:"type"`
	Text slackWords `json:"text"`
	URL  string     `json:"url"`
}

type slackBlock struct {
	Type     string        `json:"type"`
	Text     *slackWords   `json:"text,omitempty"`
	Elements []slackButton `json:"elements,omitempty"`
}

func slackPlain(text string) slackWords { return slackWords{"plain_text", text, new(bool)} }

func (s *slack) deliver(ctx context.Context, notes []note) (Answer, error) {
	message := struct {
		Text   string       `json:"text"` // where blocks are not shown, as in a notice
		Blocks []slackBlock `json:"blocks"`
	}{Text: slackEscape(headline(notes))}
	for _, one := range notes {
		choices, err := s.sinks.choices(ctx, s.name, one, cmp.Or(one.person(), "readers of "+s.name)) // who of them, Slack does not say
		if err != nil {
			return Answer{}, err
		}
		text := slackPlain(failure.Cut(strings.Join(one.lines(choices), "\n"), slackText))
		message.Blocks = append(message.Blocks, slackBlock{Type: "section", Text: &text})
		var buttons []slackButton
		for _, of := range choices {
			if len(of.link) <= slackLink {
				buttons = append(buttons, slackButton{"button", slackPlain(of.label), of.link})
			}
		}
		if len(buttons) > 0 {
			message.Blocks = append(message.Blocks, slackBlock{Type: "actions", Elements: buttons})
		}
	}
	body, err := event.Marshal(message)
	if err != nil {
		return Answer{}, err
	}
	return s.post(ctx, body, "application/json; charset=utf-8")
}

// Send implements [Sink], for a subscription whose transform gives the message.
func (s *slack) Send(ctx context.Context, out Outgoing) (Answer, error) {
	body, contentType := out.Sent()
	return s.post(ctx, body, contentType)
}

// Close implements [Sink].
func (s *slack) Close() { s.close() }

func (s *slack) post(ctx context.Context, body []byte, contentType string) (Answer, error) {
	path, err := s.secret(ctx)
	if err == nil && path == "" {
		err = errors.New("the address of the Slack webhook is not in the vault here: remove the subscription, and add it with the whole address")
	}
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.Scheme+"://"+s.url.Host+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, errors.New("the address of the Slack webhook in the vault is none") // which is not repeated
	}
	request.Header.Set("Content-Type", contentType)
	return post(s.client, request, s.sinks.Now)
}

// slackEscape is text as Slack asks for it where it reads marks.
func slackEscape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func (s *slack) close() { s.client.CloseIdleConnections() }
