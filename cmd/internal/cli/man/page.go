package man

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// The pages are written here, and not by cobra/doc: that goes by way of Markdown, whose reader and its tables every
// process would begin with.

// dated is what stands at the foot of the pages: the date of the sources, if a build says it.
func dated() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, "SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// write writes the page of a command and those of its own commands.
func write(c *cobra.Command, date time.Time, dir string) error {
	for _, child := range c.Commands() {
		if !child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := write(child, date, dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, dashed(c)+".1"), []byte(page(c, date)), 0o644) //nolint:gosec // for all
}

func dashed(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page is a command's help in the language of man(7).
func page(c *cobra.Command, date time.Time) string {
	c.InitDefaultHelpCmd()
	c.InitDefaultHelpFlag()
	about := c.Long
	if about == "" {
		about = c.Short
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q \"1\" %q \"Kintsugi\" \"Kintsugi\"\n", strings.ToUpper(dashed(c)), date.Format("Jan 2006"))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(dashed(c)), escaped(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", escaped(c.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", text(about))
	options(&b, "OPTIONS", c.NonInheritedFlags())
	options(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.nf\n%s\n.fi\n", lines(c.Example))
	}
	var others []string
	if c.HasParent() {
		others = append(others, dashed(c.Parent()))
	}
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() {
			others = append(others, dashed(child))
		}
	}
	for i, other := range others {
		others[i] = `\fB` + escaped(other) + `(1)\fP`
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ", "))
	return b.String()
}

func options(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Deprecated != "" {
			return
		}
		name := `\fB\-\-` + escaped(flag.Name) + `\fP`
		if flag.Shorthand != "" {
			name = `\fB\-` + flag.Shorthand + `\fP, ` + name
		}
		value := "=" + flag.DefValue
		if flag.Value.Type() == "string" {
			value = fmt.Sprintf("=%q", flag.DefValue)
		}
		if flag.NoOptDefVal != "" {
			value = "[" + value + "]"
		}
		fmt.Fprintf(b, ".TP\n%s%s\n%s\n", name, escaped(value), lines(flag.Usage))
	})
}

// text has paragraphs filled; lines that are indented stay as they are.
func text(of string) string {
	var b strings.Builder
	asIs := false
	for line := range strings.Lines(of) {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != asIs {
			asIs = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[asIs])
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(lines(line) + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// lines keeps a text from being taken for requests.
func lines(of string) string {
	all := strings.Split(escaped(of), "\n")
	for i, line := range all {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			all[i] = `\&` + line
		}
	}
	return strings.Join(all, "\n")
}

func escaped(of string) string { return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(of) }
