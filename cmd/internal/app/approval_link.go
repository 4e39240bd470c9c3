package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/handlers/publisher"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// Links makes and reads the links by which people decide without a token.
type Links struct {
	Public string
	Now    func() time.Time
	Logger *slog.Logger

	unreachable *sync.Once
}

// DecidePath is where a link leads, below the public address.
const DecidePath = "/decide/"

// LinkLife is for how long a link leads somewhere, unless it is said otherwise, and LongestLinkLife at most.
const (
	LinkLife        = 72 * time.Hour
	LongestLinkLife = 30 * 24 * time.Hour
)

// linkPurpose is what the key of links is derived for.
const linkPurpose = "kintsugi decision links 1"

// Limits of a link, in bytes.
const (
	maxLink       = 2000
	maxLinkPerson = 200
)

// Link lets one person decide one thing without a token: a fix that waits, a question, or a job of a plan that is held. It is signed and not kept: that it
// decides once follows from what it decides.
type Link struct {
	Fix      string `json:"f,omitempty"`
	Question string `json:"q,omitempty"` // by its notification
	Plan     string `json:"l,omitempty"`
	Job      string `json:"j,omitempty"`
	// Checkpoint is that at which the job is held.
	Checkpoint int    `json:"c,omitempty"`
	Person     string `json:"p"`           // whom it was given to
	Until      int64  `json:"u"`           // in seconds since 1970
	Via        string `json:"v,omitempty"` // the subscription that brought it

	id string
}

// ErrLinkExpired is of a link that led somewhere once.
var ErrLinkExpired = errors.New("this link has expired")

var errForeignLink = fault.New(fault.Forbidden,
	"this link was not made by this installation, or it was changed or cut on its way: open it once more from the message that it came with")

// meta is of the one command that the link may come to.
func (l Link) meta() commands.Meta {
	return commands.Meta{CommandID: commands.DerivedID("link", l.id), CausationID: "link:" + l.id, Actor: "person:" + l.Person}
}

// Make is the address at which a person decides, until it expires. It makes the installation's secret key if there is none.
func (l *Links) Make(link Link, life time.Duration) (string, error) {
	switch {
	case l.Public == "":
		return "", fault.New(fault.Invalid, "nobody said at which address people reach this installation: --public-url https://kintsugi.example.com")
	case strings.TrimSpace(link.Person) == "" || len(link.Person) > maxLinkPerson || strings.ContainsFunc(link.Person, unicode.IsControl):
		return "", fault.New(fault.Invalid, "a link is for a person whose name is one line of at most %d bytes, who then stands in the history", maxLinkPerson)
	case life <= 0 || life > LongestLinkLife:
		return "", fault.New(fault.Invalid, "a link is good for a time up to %s, not for %s", LongestLinkLife, life)
	}
	link.Until = l.Now().Add(life).Unix()
	payload, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	key, err := masterKey(true)
	if err != nil {
		return "", err
	}
	sum, err := linkSum(key, payload)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(l.Public, "/") + DecidePath + base64.RawURLEncoding.EncodeToString(payload) + "." + base64.RawURLEncoding.EncodeToString(sum), nil
}

// Read reads a link of this installation.
func (l *Links) Read(text string) (Link, error) {
	if len(text) > maxLink {
		return Link{}, errForeignLink
	}
	first, second, _ := strings.Cut(text, ".")
	payload, err := base64.RawURLEncoding.Strict().DecodeString(first)
	signed, err2 := base64.RawURLEncoding.Strict().DecodeString(second)
	if err != nil || err2 != nil {
		return Link{}, errForeignLink
	}
	key, err := masterKey(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Link{}, errForeignLink // without a key none was made here
	}
	if err != nil {
		return Link{}, err
	}
	sum, err := linkSum(key, payload)
	if err != nil {
		return Link{}, err
	}
	var link Link
	if !hmac.Equal(sum, signed) || json.Unmarshal(payload, &link) != nil {
		return Link{}, errForeignLink
	}
	if !l.Now().Before(time.Unix(link.Until, 0)) {
		return link, ErrLinkExpired
	}
	id := sha256.Sum256(payload)
	link.id = hex.EncodeToString(id[:8])
	return link, nil
}

// linkSum is what a payload is signed with.
func linkSum(key vault.Key, payload []byte) ([]byte, error) {
	derived, err := key.Derived(linkPurpose)
	if err != nil {
		return nil, err
	}
	sum := hmac.New(sha256.New, derived)
	_, _ = sum.Write(payload) // never fails
	return sum.Sum(nil), nil
}

// decision is what mail and chat lead a person to; empty if nobody said where, which the operator is told once.
func (l *Links) decision(_ context.Context, asked publisher.Asked, person string) (string, error) {
	if l.Public == "" {
		l.unreachable.Do(func() {
			l.Logger.Warn("messages about what waits for people carry commands and no links: nobody said at which address this installation is reached (--public-url)")
		})
		return "", nil
	}
	return l.Make(Link{
		Fix: asked.Fix, Question: asked.Question, Plan: asked.Plan, Job: asked.Job, Checkpoint: asked.Checkpoint, Person: person, Via: asked.Via,
	}, LinkLife)
}

// PublicURL reads the address at which people reach an installation.
func PublicURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fault.New(fault.Invalid, "--public-url %q is no address like https://kintsugi.example.com", text)
	}
	return u, nil
}
