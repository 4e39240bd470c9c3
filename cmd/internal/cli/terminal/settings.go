package terminal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// Each flag of the server can also be set by the environment and by one file, under the same name: --llm-timeout is
// KINTSUGI_LLM_TIMEOUT, and llm-timeout in the file. The flags are the only list of settings: declaring one declares
// all three. Flags come before the environment, which comes before the file.

// ConfigFile is the file in a data directory that is read if no other one is named.
const ConfigFile = "config.toml"

// Where a value comes from, beside a variable and a line of a file.
const (
	OriginDefault = "default"
	OriginFlag    = "flag"
)

// Setting is one that a server has.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // without passwords
	Origin string `json:"origin"`
	Text   bool   `json:"-"` // rather than a number or a truth value
}

// noSettings are flags of the server that are of one command line.
var noSettings = []string{"config", "help", "output", "server", "server-ca"}

// ownKeys says where else the content of a file can be: a key in the environment comes before the name of a file with one
// that only the file says.
var ownKeys = map[string][]string{"llm-key-file": {app.LLMKeyVariable, app.LLMKeyFile}}

// servers are the commands whose own flags are settings: the first has them all.
var servers = []string{"serve", "dev"}

// SelfConfigured marks a command that reads the file itself, to say what is wrong with it.
const SelfConfigured = "self-configured"

// ServersOwn marks a flag of another command that is what a server's flag of that name is.
const ServersOwn = "servers-own"

// settingFlags are the flags that can be set in the file, by name.
func settingFlags(root *cobra.Command) map[string]*pflag.Flag {
	flags := map[string]*pflag.Flag{}
	add := func(flag *pflag.Flag) {
		if !slices.Contains(noSettings, flag.Name) {
			flags[flag.Name] = flag
		}
	}
	root.PersistentFlags().VisitAll(add)
	for _, command := range root.Commands() {
		if command.Name() == servers[0] {
			command.LocalNonPersistentFlags().VisitAll(add)
		}
	}
	return flags
}

// Variable is the name of a setting in the environment.
func Variable(key string) string {
	return "KINTSUGI_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// config is a file with settings that was read.
type config struct {
	path   string
	values map[string]any
	lines  map[string]int
}

// problem is an error of a line.
func (f config) problem(key, format string, args ...any) error {
	return fault.New(fault.Invalid, "%s:%d: %w", f.path, f.lines[key], fmt.Errorf(format, args...))
}

// readConfig reads a file, and refuses what is no setting.
func readConfig(path string, known map[string]*pflag.Flag) (config, error) {
	read := config{path: path, values: map[string]any{}, lines: map[string]int{}}
	text, err := os.ReadFile(path)
	if err != nil {
		return read, fault.New(fault.Invalid, "read the configuration: %w", err)
	}
	if _, err := toml.Decode(string(text), &read.values); err != nil {
		if at, is := errors.AsType[toml.ParseError](err); is {
			return read, fault.New(fault.Invalid, "%s:%d: %s", path, at.Position.Line, at.Message)
		}
		return read, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if key := keyOfLine.FindStringSubmatch(line); key != nil && read.lines[key[1]] == 0 {
			read.lines[key[1]] = number
		}
	}
	var wrong []error
	for _, key := range slices.SortedFunc(maps.Keys(read.values), func(a, b string) int { return read.lines[a] - read.lines[b] }) {
		if known[key] == nil {
			wrong = append(wrong, read.problem(key, "%s is no setting: see 'kintsugi config print' for those that there are%s", key, nearest(key, known)))
		}
	}
	return read, errors.Join(wrong...)
}

var keyOfLine = lazyregexp.New(`^\s*\[?\[?\s*"?([A-Za-z0-9_-]+)"?`)

// nearest is what was probably meant.
func nearest(key string, known map[string]*pflag.Flag) string {
	plain := func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if plain(key) == name || strings.HasPrefix(name, plain(key)) || strings.HasPrefix(plain(key), name) {
			return "; did you mean " + name + "?"
		}
	}
	return ""
}

// text is a value of the file as a flag takes it.
func (f config) text(key string) ([]string, error) {
	switch value := f.values[key].(type) {
	case string:
		return []string{value}, nil
	case bool, int64, float64:
		return []string{fmt.Sprint(value)}, nil
	case []any:
		texts := make([]string, len(value))
		for i, one := range value {
			text, is := one.(string)
			if !is {
				return nil, f.problem(key, "%s takes texts", key)
			}
			texts[i] = text
		}
		return texts, nil
	}
	return nil, f.problem(key, "%s takes a text, a number or a truth value", key)
}

// set gives a flag a value that was not on the command line, which it does not take for one that was.
func set(flag *pflag.Flag, texts []string) error {
	if list, is := flag.Value.(pflag.SliceValue); is {
		return list.Replace(texts)
	}
	if len(texts) != 1 {
		return fmt.Errorf("%s takes one value", flag.Name)
	}
	if _, few := flag.Value.(interface{ choices() []string }); few && texts[0] == "" {
		return nil // none of them is chosen
	}
	return flag.Value.Set(texts[0])
}

// EmptySays marks a flag for which an empty variable is a value, as --listen with nowhere. For other flags an empty
// variable counts as unset.
const EmptySays = "an empty variable says something"

// settle gives a flag what the environment or else the file says, unless it was on the command line, and says where from.
func (f config) settle(flag *pflag.Flag) (origin string, err error) {
	variable := Variable(flag.Name)
	text, inEnvironment := os.LookupEnv(variable)
	switch {
	case flag.Changed:
		return OriginFlag, nil
	case inEnvironment && (text != "" || flag.Annotations[EmptySays] != nil):
		if err := set(flag, []string{text}); err != nil {
			return "", fault.New(fault.Invalid, "%s: %w", variable, err)
		}
		return variable, nil
	}
	if content, of := strings.CutSuffix(variable, "_FILE"); of {
		for _, other := range append(ownKeys[flag.Name], content) {
			if os.Getenv(other) != "" {
				return other, nil
			}
		}
	}
	if _, said := f.values[flag.Name]; !said {
		return OriginDefault, nil
	}
	texts, err := f.text(flag.Name)
	if err != nil {
		return "", err
	}
	if err := set(flag, texts); err != nil {
		return "", f.problem(flag.Name, "%s: %w", flag.Name, err)
	}
	return fmt.Sprintf("%s:%d", f.path, f.lines[flag.Name]), nil
}

// configPath is the file that is read; empty for none.
func (cli *CLI) configPath(root *cobra.Command) (path string, err error) {
	if _, err := (config{}).settle(root.PersistentFlags().Lookup("config")); err != nil {
		return "", err
	}
	if _, err := (config{}).settle(root.PersistentFlags().Lookup("data-dir")); err != nil {
		return "", err
	}
	if cli.config != "" {
		return cli.config, nil
	}
	path = filepath.Join(cli.DataDir, ConfigFile)
	if _, err := os.Stat(path); err != nil { // what is wrong with the directory says who opens it
		return "", nil //nolint:nilerr // it is no file to read
	}
	return path, nil
}

// readSettings reads the file, if there is one.
func (cli *CLI) readSettings(root *cobra.Command) (config, error) {
	path, err := cli.configPath(root)
	if path == "" || err != nil {
		return config{}, err
	}
	read, err := readConfig(path, settingFlags(root))
	if err == nil && cli.config == "" && read.values["data-dir"] != nil {
		err = read.problem("data-dir", "data-dir is where this file was found: to set it in a file, name that with --config")
	}
	return read, err
}

// Configure takes what no flag of a command said from the environment and the file.
func (cli *CLI) Configure(c *cobra.Command) error {
	if _, own := c.Annotations[SelfConfigured]; own {
		return nil
	}
	read, err := cli.readSettings(c.Root())
	if err != nil {
		return err
	}
	var wrong []error
	take := func(flag *pflag.Flag) (said bool) {
		origin, err := read.settle(flag)
		wrong = append(wrong, err)
		return origin != OriginDefault && err == nil
	}
	for _, flag := range settingFlags(c.Root()) {
		if c.Root().PersistentFlags().Lookup(flag.Name) == flag {
			take(flag)
		} else if of := c.LocalNonPersistentFlags().Lookup(flag.Name); of != nil && slices.Contains(servers, c.Name()) && c.Parent() == c.Root() {
			of.Changed = take(of) // a server asks what was chosen, wherever that was
		} else if of != nil && of.Annotations[ServersOwn] != nil {
			take(of)
		}
	}
	if cli.LLM.Model == "" { // what the environment or the file say of one is for another day
		for name, value := range map[string]*string{"llm-base-url": &cli.LLM.BaseURL, "llm-key-file": &cli.LLM.KeyFile, "llm-prices": &cli.LLM.Prices} {
			if !c.Root().PersistentFlags().Lookup(name).Changed {
				*value = ""
			}
		}
	}
	return errors.Join(wrong...)
}

func settingOf(flag *pflag.Flag, origin string) Setting {
	kind := flag.Value.Type()
	one := Setting{Key: flag.Name, Value: flag.Value.String(), Origin: origin, Text: kind != "bool" && kind != "int"}
	if list, is := flag.Value.(pflag.SliceValue); is {
		quoted := list.GetSlice()
		for i, text := range quoted {
			quoted[i] = strconv.Quote(text)
		}
		one.Value, one.Text = "["+strings.Join(quoted, ", ")+"]", false
	}
	return one
}

// Settings are all that a server would have with this command line, environment and file, by name, and the file that was
// read. The error names everything that is wrong.
func (cli *CLI) Settings(root *cobra.Command) (settings []Setting, path string, err error) {
	read, err := cli.readSettings(root)
	wrong := []error{err}
	flags := settingFlags(root)
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		origin, err := read.settle(flags[key])
		wrong = append(wrong, err)
		settings = append(settings, settingOf(flags[key], origin))
	}
	log, err := cli.Address()
	wrong = append(wrong, err)
	if err == nil {
		_, stateErr := cli.stateAddress(log)
		_, viewsErr := cli.viewsPlace(log)
		wrong = append(wrong, stateErr, viewsErr)
	}
	for i, one := range settings {
		settings[i].Value = cli.Redact(one.Value)
	}
	return settings, read.path, errors.Join(wrong...)
}
