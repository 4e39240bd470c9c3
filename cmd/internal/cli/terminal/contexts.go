package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// contextsFile is where this person's contexts are, in the configuration directory. It holds tokens: nobody else reads it.
const contextsFile = "kintsugi/contexts.toml"

// Contexts are the servers that a person has named, and the one whose commands theirs are unless they say otherwise.
type Contexts struct {
	Use   string             `toml:"use,omitempty"`
	Named map[string]Context `toml:"context"`
}

// Context is a server, and what it is shown.
type Context struct {
	URL   string `toml:"url"`
	Token string `toml:"token"`
	// CA is a file with the certificates that its certificate is checked with; empty for those of the system.
	CA string `toml:"ca,omitempty"`
}

func contextsPath() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("contexts are kept in your configuration directory: %w", err)
	}
	return filepath.Join(config, filepath.FromSlash(contextsFile)), nil
}

// ReadContexts reads a person's contexts. Without a file there are none.
func ReadContexts() (Contexts, error) {
	read := Contexts{Named: map[string]Context{}}
	path, err := contextsPath()
	if err != nil {
		return read, nil //nolint:nilerr // who has no configuration directory has named nothing
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return read, nil
	}
	if err != nil {
		return read, fault.New(fault.Invalid, "read your contexts: %w", err)
	}
	if err := toml.Unmarshal(content, &read); err != nil { // what it says may have a token in it
		return read, fault.New(fault.Invalid, "%s is not what 'kintsugi context add' writes: mend it, or remove it and add your contexts again", path)
	}
	if read.Named == nil {
		read.Named = map[string]Context{}
	}
	return read, nil
}

// Write keeps contexts, for this person only.
func (c Contexts) Write() (err error) {
	path, err := contextsPath()
	if err != nil {
		return err
	}
	content, err := toml.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep your contexts: %w", err)
	}
	kept, err := os.CreateTemp(filepath.Dir(path), ".contexts-*") // nobody else may read it
	if err != nil {
		return fmt.Errorf("keep your contexts: %w", err)
	}
	_, err = kept.Write(content)
	if err := errors.Join(err, kept.Sync(), kept.Close()); err != nil {
		return errors.Join(fmt.Errorf("keep your contexts: %w", err), os.Remove(kept.Name()))
	}
	return os.Rename(kept.Name(), path)
}

var isContextName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,62}$`).MatchString

// CheckContextName refuses what would be taken for an address, or needs quotes.
func CheckContextName(name string) error {
	if !isContextName(name) {
		return fault.New(fault.Invalid, "%q is no name of a context: small letters, digits, '.', '_' and '-', at most 63", name)
	}
	return nil
}

// ParseServer reads the address of a server.
func ParseServer(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return nil, fault.New(fault.Invalid, "%q is no address of a server: write https://HOST[:PORT], without user and password", text)
	}
	address.Path = strings.TrimRight(address.Path, "/")
	return address, nil
}

// InClear says that anybody between here and a server can read what is sent to it.
func InClear(address *url.URL) bool {
	ip := net.ParseIP(address.Hostname())
	return address.Scheme == "http" && address.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
