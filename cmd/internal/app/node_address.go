package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Backend is what keeps an event log.
type Backend string

// A file, PostgreSQL, and EventStoreDB or KurrentDB.
const (
	SQLite   Backend = "sqlite"
	Postgres Backend = "postgres"
	Kurrent  Backend = "esdb"
)

// schemes are the beginnings of the addresses that are not files.
var schemes = map[string]Backend{
	"postgres": Postgres, "postgresql": Postgres,
	"esdb": Kurrent, "esdb+discover": Kurrent,
	"kurrentdb": Kurrent, "kurrentdb+discover": Kurrent, "kurrent": Kurrent, "kurrent+discover": Kurrent,
	"kdb": Kurrent, "kdb+discover": Kurrent,
}

// Hidden stands where a password was.
const Hidden = "xxxxx"

// Address is where an event log is. The shown form has no password.
type Address struct {
	Backend Backend
	Path    string // the file, of SQLite
	url     string // the connection string as it was given, of the others: not to be shown
	shown   string
	Same    string // equal for addresses that certainly are of one log
	secrets []string
}

// String is the address for people.
func (s Address) String() string { return s.shown }

// GoString hides what String hides.
func (s Address) GoString() string { return s.shown }

// Keeps says what is kept where, of a server.
func (s Address) Keeps(dataDir string) string {
	switch s.Backend {
	case Postgres:
		return dataDir + " with the event log in PostgreSQL, " + s.shown
	case Kurrent:
		return dataDir + " with the event log in EventStoreDB, " + s.shown
	}
	return dataDir + " (SQLite). Everything is kept in that directory"
}

// ParseStore reads --store: nothing for the file in the data directory, or a connection string.
func ParseStore(text, dataDir string) (Address, error) {
	if text == "" {
		return FileAddress(filepath.Join(dataDir, LogFile)), nil
	}
	if !strings.Contains(text, "://") {
		return Address{}, fault.New(fault.Invalid, "--store takes postgres://… or esdb://…; leave it out for the file in the data directory, which --data-dir names")
	}
	return parseURL(text)
}

// ParsePlace reads --from and --to: a connection string, a file, or a directory with a log in it.
func ParsePlace(text string) (Address, error) {
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	if text == "" {
		return Address{}, fault.New(fault.Invalid, "name a data directory, a file, or postgres://… or esdb://…")
	}
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		return FileAddress(filepath.Join(text, LogFile)), nil
	case err == nil:
		return FileAddress(text), nil
	case !errors.Is(err, os.ErrNotExist):
		return Address{}, fault.New(fault.Invalid, "%w", err)
	case filepath.Ext(text) == filepath.Ext(LogFile):
		return FileAddress(text), nil
	}
	return FileAddress(filepath.Join(text, LogFile)), nil
}

// FileAddress is the address of a log in a file.
func FileAddress(path string) Address {
	same, err := filepath.Abs(path)
	if err != nil {
		same = path
	}
	if real, err := filepath.EvalSymlinks(same); err == nil {
		same = real
	}
	return Address{Backend: SQLite, Path: path, shown: path, Same: same}
}

// parseURL reads a connection string. Its errors never repeat the text: a password in a
// string that cannot be taken apart cannot be cut out of it either.
func parseURL(text string) (Address, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	kind, known := schemes[strings.ToLower(scheme)]
	if !known {
		return Address{}, fault.New(fault.Invalid, "stores of the kind %q are not known: postgres://… and esdb://… (or kurrentdb://…) are", plain.Clean(scheme)+"://")
	}
	parsed, err := url.Parse(strings.ToLower(scheme) + "://" + singleHost(rest))
	if err != nil || strings.Contains(parsed.Path+parsed.RawQuery+parsed.Fragment, "@") {
		return Address{}, fault.New(fault.Invalid, "the address of the store (%s://…) cannot be read. It has the form %s://user:password@host:port/…; "+
			"in user and password write / as %%2F, @ as %%40, : as %%3A, ? as %%3F, # as %%23 and %% as %%25", scheme, scheme)
	}
	address := Address{Backend: kind, url: text}
	shown := *parsed
	if parsed.User != nil {
		if password, set := parsed.User.Password(); set {
			address.secrets = append(address.secrets, password, url.QueryEscape(password), url.PathEscape(password))
			if _, raw, found := strings.Cut(rest[:strings.LastIndex(rest, "@")], ":"); found {
				address.secrets = append(address.secrets, raw)
			}
			shown.User = url.UserPassword(parsed.User.Username(), Hidden)
		}
	}
	query := parsed.Query()
	for name, values := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			address.secrets = append(address.secrets, values...)
			query.Set(name, Hidden)
			shown.RawQuery = query.Encode()
		}
	}
	address.secrets = slices.DeleteFunc(address.secrets, func(secret string) bool { return secret == "" })
	shown.Host = hosts(rest)
	address.shown = shown.String()
	address.Same = strings.Join([]string{
		string(kind), strings.ToLower(shown.Host), strings.TrimSuffix(parsed.Path, "/"), query.Get("host"), query.Get("port"), query.Get("dbname"),
	}, " ")
	return address, nil
}

// hosts are what stands between user and path: for a cluster several, with commas.
func hosts(rest string) string {
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	return authority[strings.LastIndex(authority, "@")+1:]
}

// singleHost leaves the first of several hosts, which [url.Parse] does not take.
func singleHost(rest string) string {
	all := hosts(rest)
	first, _, several := strings.Cut(all, ",")
	if !several {
		return rest
	}
	return strings.Replace(rest, all, first, 1)
}

// key names what is kept beside the log for one store: short, a file name, without secrets.
func (s Address) key() string {
	digest := sha256.Sum256([]byte(s.Same))
	return string(s.Backend) + "-" + hex.EncodeToString(digest[:6])
}

// shortSecret is the length of a password that is looked for only where passwords stand: a
// shorter one would be found in the middle of words.
const shortSecret = 4

// Redact cuts the address and its passwords out of a text.
func (s Address) Redact(text string) string {
	if s.url != "" {
		text = strings.ReplaceAll(text, s.url, s.shown)
	}
	for _, secret := range s.secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, Hidden)
			continue
		}
		text = strings.ReplaceAll(text, ":"+secret+"@", ":"+Hidden+"@")
		text = strings.ReplaceAll(text, "password="+secret, "password="+Hidden)
	}
	return text
}

// Claim makes sure that the place of a file is there and has no server, until it is released.
func (s Address) Claim(command string) (release func() error, err error) {
	if s.Backend != SQLite {
		return func() error { return nil }, nil
	}
	dir := filepath.Dir(s.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the target: %w", err)
	}
	if filepath.Base(s.Path) != LogFile {
		return func() error { return nil }, nil // no server uses such a file
	}
	lock, err := LockServer(dir, command)
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}
