package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// backend is what keeps an event log.
type backend string

const (
	sqliteBackend   backend = "sqlite"
	postgresBackend backend = "postgres"
	kurrentBackend  backend = "esdb"
)

// schemes are the beginnings of the addresses that are not files.
var schemes = map[string]backend{
	"postgres": postgresBackend, "postgresql": postgresBackend,
	"esdb": kurrentBackend, "esdb+discover": kurrentBackend,
	"kurrentdb": kurrentBackend, "kurrentdb+discover": kurrentBackend, "kurrent": kurrentBackend, "kurrent+discover": kurrentBackend,
	"kdb": kurrentBackend, "kdb+discover": kurrentBackend,
}

// hidden stands where a password was.
const hidden = "xxxxx"

// storeAddress is where an event log is. What is shown of it has no password.
type storeAddress struct {
	backend backend
	path    string // the file, of SQLite
	url     string // the connection string as it was given, of the others: not to be shown
	shown   string
	same    string // equal for addresses that certainly are of one log
	secrets []string
}

// String is the address for people.
func (s storeAddress) String() string { return s.shown }

// GoString hides what String hides.
func (s storeAddress) GoString() string { return s.shown }

// keeps says what is kept where, of a server.
func (s storeAddress) keeps(dataDir string) string {
	switch s.backend {
	case postgresBackend:
		return dataDir + " with the event log in PostgreSQL, " + s.shown
	case kurrentBackend:
		return dataDir + " with the event log in EventStoreDB, " + s.shown
	}
	return dataDir + " (SQLite). Everything is kept in that directory"
}

// parseStore reads --store: nothing for the file in the data directory, or a connection string.
func parseStore(text, dataDir string) (storeAddress, error) {
	if text == "" {
		return fileAddress(filepath.Join(dataDir, logFile)), nil
	}
	if !strings.Contains(text, "://") {
		return storeAddress{}, fault.New(fault.Invalid, "--store takes postgres://… or esdb://…; leave it out for the file in the data directory, which --data-dir names")
	}
	return parseURL(text)
}

// parsePlace reads --from and --to: a connection string, a file, or a directory with a log in it.
func parsePlace(text string) (storeAddress, error) {
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	if text == "" {
		return storeAddress{}, fault.New(fault.Invalid, "name a data directory, a file, or postgres://… or esdb://…")
	}
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		return fileAddress(filepath.Join(text, logFile)), nil
	case err == nil:
		return fileAddress(text), nil
	case !errors.Is(err, os.ErrNotExist):
		return storeAddress{}, fault.New(fault.Invalid, "%w", err)
	case filepath.Ext(text) == filepath.Ext(logFile):
		return fileAddress(text), nil
	}
	return fileAddress(filepath.Join(text, logFile)), nil
}

func fileAddress(path string) storeAddress {
	same, err := filepath.Abs(path)
	if err != nil {
		same = path
	}
	if real, err := filepath.EvalSymlinks(same); err == nil {
		same = real
	}
	return storeAddress{backend: sqliteBackend, path: path, shown: path, same: same}
}

// parseURL reads a connection string. Its errors never repeat the text: a password in a
// string that cannot be taken apart cannot be cut out of it either.
func parseURL(text string) (storeAddress, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	kind, known := schemes[strings.ToLower(scheme)]
	if !known {
		return storeAddress{}, fault.New(fault.Invalid, "stores of the kind %q are not known: postgres://… and esdb://… (or kurrentdb://…) are", clean(scheme)+"://")
	}
	parsed, err := url.Parse(strings.ToLower(scheme) + "://" + singleHost(rest))
	if err != nil || strings.Contains(parsed.Path+parsed.RawQuery+parsed.Fragment, "@") {
		return storeAddress{}, fault.New(fault.Invalid, "the address of the store (%s://…) cannot be read. It has the form %s://user:password@host:port/…; "+
			"in user and password write / as %%2F, @ as %%40, : as %%3A, ? as %%3F, # as %%23 and %% as %%25", scheme, scheme)
	}
	address := storeAddress{backend: kind, url: text}
	shown := *parsed
	if parsed.User != nil {
		if password, set := parsed.User.Password(); set {
			address.secrets = append(address.secrets, password, url.QueryEscape(password), url.PathEscape(password))
			if _, raw, found := strings.Cut(rest[:strings.LastIndex(rest, "@")], ":"); found {
				address.secrets = append(address.secrets, raw)
			}
			shown.User = url.UserPassword(parsed.User.Username(), hidden)
		}
	}
	query := parsed.Query()
	for name, values := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			address.secrets = append(address.secrets, values...)
			query.Set(name, hidden)
			shown.RawQuery = query.Encode()
		}
	}
	address.secrets = slices.DeleteFunc(address.secrets, func(secret string) bool { return secret == "" })
	shown.Host = hosts(rest)
	address.shown = shown.String()
	address.same = strings.Join([]string{
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
func (s storeAddress) key() string {
	digest := sha256.Sum256([]byte(s.same))
	return string(s.backend) + "-" + hex.EncodeToString(digest[:6])
}

// shortSecret is the length of a password that is looked for only where passwords stand: a
// shorter one would be found in the middle of words.
const shortSecret = 4

// redact cuts the address and its passwords out of a text.
func (s storeAddress) redact(text string) string {
	if s.url != "" {
		text = strings.ReplaceAll(text, s.url, s.shown)
	}
	for _, secret := range s.secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, hidden)
			continue
		}
		text = strings.ReplaceAll(text, ":"+secret+"@", ":"+hidden+"@")
		text = strings.ReplaceAll(text, "password="+secret, "password="+hidden)
	}
	return text
}
