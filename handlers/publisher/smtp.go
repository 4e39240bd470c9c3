package publisher

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// mailer sends mail. Over smtp the server has to offer STARTTLS, unless a person let it be in a network of theirs; a
// password is sent to nobody without it.
type mailer struct{ target }

// maxSubject is in bytes, before it is encoded.
const maxSubject = 150

func (m *mailer) deliver(ctx context.Context, notes []note) (Answer, error) {
	secret, err := m.secret(ctx)
	if err != nil {
		return Answer{}, err
	}
	letters, from, err := m.letters(ctx, notes)
	if err != nil {
		return Answer{}, err
	}
	dial, release := m.dialDuring(ctx)
	defer release()
	over, err := m.connect(dial)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = over.Close() }()
	if user := m.url.User.Username(); user != "" {
		if err := over.Auth(smtp.PlainAuth("", user, secret, m.url.Hostname())); err != nil {
			return Answer{}, err
		}
	}
	var taken []string
	for _, one := range letters {
		if err := one.post(over, from); err != nil {
			return Answer{}, err
		}
		taken = append(taken, one.to...)
	}
	_ = over.Quit() // it is taken
	return Answer{Said: "the server took it for " + strings.Join(taken, ", ")}, nil
}

// letter is what some people get.
type letter struct {
	to   []string
	text []byte
}

// post hands a letter over.
func (l letter) post(over *smtp.Client, from string) error {
	if err := over.Mail(from); err != nil {
		return err
	}
	for _, one := range l.to {
		if err := over.Rcpt(one); err != nil {
			return err
		}
	}
	body, err := over.Data()
	if err != nil {
		return err
	}
	if _, err := body.Write(l.text); err != nil {
		return err
	}
	return body.Close()
}

// connect speaks to the server, encrypted if it is not in a network that a person called theirs.
func (m *mailer) connect(dial func(network, address string) (net.Conn, error)) (*smtp.Client, error) {
	port := map[string]string{"smtp": "587", "smtps": "465"}[m.url.Scheme]
	over, err := dial("tcp", m.host(port))
	if err != nil {
		return nil, err
	}
	spoken := over
	if m.url.Scheme == "smtps" {
		spoken = tls.Client(over, m.tls())
	}
	client, err := smtp.NewClient(spoken, m.url.Hostname())
	if err != nil {
		return nil, errors.Join(err, over.Close())
	}
	offers, _ := client.Extension("STARTTLS")
	switch {
	case m.url.Scheme == "smtps":
	case offers:
		err = client.StartTLS(m.tls())
	case !m.reach.private:
		err = errors.New("the server offers no encryption (STARTTLS), and mail is not sent without it through public networks")
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// letters are what is sent: one for all, or, if it has links to decide by, one for each person, since a link is theirs.
func (m *mailer) letters(ctx context.Context, notes []note) (letters []letter, from string, err error) {
	query := m.url.Query()
	sender, err := mail.ParseAddress(query.Get("from"))
	if err != nil {
		return nil, "", err
	}
	// A decision that was given to somebody goes to them, if that is an address.
	readers := query["to"]
	if address, err := mail.ParseAddress(notes[0].person()); err == nil {
		readers = []string{address.Address}
	}
	var people []*mail.Address
	for _, one := range readers {
		address, err := mail.ParseAddress(one)
		if err != nil {
			return nil, "", err
		}
		people = append(people, address)
	}
	groups := [][]*mail.Address{people}
	for _, one := range notes {
		choices, err := m.sinks.choices(ctx, m.name, one, people[0].Address)
		if err != nil {
			return nil, "", err
		}
		if len(choices) > 0 {
			groups = slices.Collect(slices.Chunk(people, 1))
		}
	}
	for i, to := range groups {
		id := notes[0].id
		if i > 0 {
			id += fmt.Sprintf(".%d", i)
		}
		one, err := m.letter(ctx, notes, id, sender, to)
		if err != nil {
			return nil, "", err
		}
		letters = append(letters, one)
	}
	return letters, sender.Address, nil
}

// letter is the mail to some people. Texts of others are encoded: none of them can be a line of the header.
func (m *mailer) letter(ctx context.Context, notes []note, id string, sender *mail.Address, people []*mail.Address) (one letter, err error) {
	var shown []string
	for _, address := range people {
		one.to, shown = append(one.to, address.Address), append(shown, address.String())
	}
	_, host, _ := strings.Cut(sender.Address, "@")
	out := &bytes.Buffer{}
	for _, header := range [][2]string{
		{"From", sender.String()}, {"To", strings.Join(shown, ", ")},
		{"Subject", mime.QEncoding.Encode("utf-8", failure.Cut(headline(notes), maxSubject))}, {"Date", m.sinks.Now().Format(time.RFC1123Z)},
		{"Message-ID", "<" + id + "@" + host + ">"}, // what comes twice is known by it
		{"Auto-Submitted", "auto-generated"}, {"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(out, "%s: %s\r\n", header[0], header[1])
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(out)
	for _, note := range notes {
		choices, err := m.sinks.choices(ctx, m.name, note, people[0].Address)
		if err != nil {
			return one, err
		}
		lines := note.lines(choices)
		for _, of := range choices {
			lines = append(lines, of.label+": "+of.link)
		}
		fmt.Fprintf(body, "%s\r\n\r\n", strings.Join(lines, "\r\n"))
	}
	err = body.Close() // before the bytes are read: it writes the last line
	one.text = out.Bytes()
	return one, err
}

func (m *mailer) close() {}
