package packages

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// MaxText is how many bytes the text of the packages of one script may have.
const MaxText = 6 << 20

// MaxPacked is how many bytes it may have in the log, where one append is at most 1 MiB.
const MaxPacked = 512 << 10

// Format is the format of a text.
const Format = "kintsugi.packages/1"

// Text is the text of packages: the body of a function that is handed require (for modules of Node's), module, exports and Function.
type Text struct {
	Format string `json:"format"`
	// Modules say by what name the code exports what scripts take of a module: by module and name, default and * among them. The
	// empty name is of a function that gives what require does.
	Modules map[string]map[string]string `json:"modules"`
	Code    string                       `json:"code"`
}

// Encode is the text as it is kept, and its digest. It is the same for the same packages.
func (t *Text) Encode() (text, digest string, err error) {
	t.Format = Format
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t); err != nil {
		return "", "", fmt.Errorf("packages: %w", err)
	}
	text = strings.TrimSuffix(made.String(), "\n")
	return text, Digest(text), nil
}

// Digest is what a text is known by.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Decode reads a text.
func Decode(text string) (*Text, error) {
	var t Text
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, fmt.Errorf("packages: the text of packages cannot be read: %w", err)
	}
	if t.Format != Format {
		return nil, fmt.Errorf("packages: the text of packages has the format %q, which this version does not know", t.Format)
	}
	return &t, nil
}

// Pack makes a text small, for the log.
func Pack(text string) ([]byte, error) {
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(writer, text)
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packages: pack: %w", err)
	}
	return packed.Bytes(), nil
}

// Unpack makes a text of what [Pack] made, if it is the one of a digest.
func Unpack(packed []byte, digest string) (string, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("packages: unpack: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, MaxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("packages: unpack: %w", err)
	case len(text) > MaxText:
		return "", errors.New("packages: the text of packages is too large")
	case Digest(string(text)) != digest:
		return "", errors.New("packages: the text of packages is not the one of its digest")
	}
	return string(text), nil
}

const portableMark = "//# text "

// Portable is a code and the text of its packages as one text, for the way to whoever keeps them.
func Portable(code, text string) (string, error) {
	if text == "" {
		return code, nil
	}
	packed, err := Pack(text)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(packed)
	if err != nil {
		return "", fmt.Errorf("packages: %w", err)
	}
	return code + portableMark + string(encoded) + "\n", nil
}

// OpenFor is [Open], whose text is at hand to the tenant of the context.
func OpenFor(ctx context.Context, portable string) (code, text string, err error) {
	if code, text, err = Open(portable); text != "" {
		allow(ctx, Digest(text))
	}
	return code, text, err
}

// Open takes a portable text apart. The text is at hand from then on ([Keep]). Any other text is a code.
func Open(portable string) (code, text string, err error) {
	at := strings.LastIndex(portable, portableMark)
	if at < 0 || at > 0 && portable[at-1] != '\n' {
		return portable, "", nil
	}
	code = portable[:at]
	lock := LockOf(code)
	if lock == nil {
		return "", "", errors.New("there is a text of packages, and no lines that say which they are")
	}
	var packed []byte
	if err := json.Unmarshal([]byte(strings.TrimSpace(portable[at+len(portableMark):])), &packed); err != nil {
		return "", "", fmt.Errorf("the text of packages cannot be read: %w", err)
	}
	if text, err = Unpack(packed, lock.Digest); err != nil {
		return "", "", err
	}
	if _, err := Decode(text); err != nil {
		return "", "", err
	}
	Keep(text)
	return code, text, nil
}

// mostKept is how many texts are at hand in a process.
const mostKept = 64

// At hand are the texts that were used last: executions name them by their digest.
var atHand struct {
	sync.Mutex
	texts   map[string]string
	order   []string                   // the last used one last
	tenants map[string]map[string]bool // who may use each
}

type tenantKey struct{}

// For is a context in which a tenant asks for something to be run: only packages that they brought, or that a workflow of theirs
// keeps, run for them. To know the digest of somebody else's is of no use. Without a tenant it is the program that asks.
func For(ctx context.Context, tenant string) context.Context {
	if tenant == "" {
		return ctx
	}
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Tenant is who asks; empty for the program.
func Tenant(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
}

func allow(ctx context.Context, digest string) {
	tenant := Tenant(ctx)
	if tenant == "" {
		return
	}
	atHand.Lock()
	defer atHand.Unlock()
	if atHand.tenants == nil {
		atHand.tenants = map[string]map[string]bool{}
	}
	if atHand.tenants[digest] == nil {
		atHand.tenants[digest] = map[string]bool{}
	}
	atHand.tenants[digest][tenant] = true
}

// Allowed is a text that is at hand to who asks; empty if it is not.
func Allowed(ctx context.Context, digest string) string {
	text, tenant := Known(digest), Tenant(ctx)
	atHand.Lock()
	defer atHand.Unlock()
	if tenant != "" && !atHand.tenants[digest][tenant] {
		return ""
	}
	return text
}

// Keep has a text at hand in this process, and gives its digest.
func Keep(text string) string {
	digest := Digest(text)
	atHand.Lock()
	defer atHand.Unlock()
	if atHand.texts == nil {
		atHand.texts = map[string]string{}
	}
	atHand.texts[digest] = text
	use(digest)
	for len(atHand.order) > mostKept {
		delete(atHand.texts, atHand.order[0])
		delete(atHand.tenants, atHand.order[0])
		atHand.order = atHand.order[1:]
	}
	return digest
}

// A Source gives the text of a digest, packed, to a tenant, or to the program if that is empty.
type Source func(ctx context.Context, tenant, digest string) ([]byte, error)

var sources struct {
	sync.Mutex
	list []*Source
}

// AddSource has texts that are not at hand looked for there, too, until it is removed.
func AddSource(s Source) (remove func()) {
	sources.Lock()
	defer sources.Unlock()
	sources.list = append(sources.list, &s)
	return func() {
		sources.Lock()
		defer sources.Unlock()
		sources.list = slices.DeleteFunc(slices.Clone(sources.list), func(one *Source) bool { return one == &s })
	}
}

// Fetch has the packages of a code at hand to who asks. Where they are nowhere, whoever runs it says so.
func Fetch(ctx context.Context, code string) error {
	lock := LockOf(code)
	if lock == nil || Allowed(ctx, lock.Digest) != "" {
		return nil
	}
	sources.Lock()
	list := sources.list
	sources.Unlock()
	var failed error
	for _, from := range list {
		packed, err := (*from)(ctx, Tenant(ctx), lock.Digest)
		if err == nil {
			var text string
			if text, err = Unpack(packed, lock.Digest); err == nil {
				allow(ctx, Keep(text))
				return nil
			}
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil && Tenant(ctx) != "" {
		failed = fmt.Errorf("no workflow keeps the packages %.12s", lock.Digest)
	}
	return failed
}

func use(digest string) {
	for i, one := range atHand.order {
		if one == digest {
			atHand.order = append(atHand.order[:i], atHand.order[i+1:]...)
			break
		}
	}
	atHand.order = append(atHand.order, digest)
}

// Known is a text that is at hand; empty if it is not.
func Known(digest string) string {
	atHand.Lock()
	defer atHand.Unlock()
	text, is := atHand.texts[digest]
	if is {
		use(digest)
	}
	return text
}
