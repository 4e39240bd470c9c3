package guide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// ask asks a question; nothing typed is the answer that is offered.
func (g *guide) ask(ctx context.Context, question, offered string) (string, error) {
	if g.yes {
		return offered, nil
	}
	if offered != "" {
		question += " [" + offered + "]"
	}
	fmt.Fprint(g.Err, question, "\n> ")
	answer, err := g.answer(ctx, func() (string, error) { return g.answers.ReadString('\n') })
	if answer == "" {
		answer = offered
	}
	return answer, err
}

// hidden asks for something that is not shown while it is typed.
func (g *guide) hidden(ctx context.Context, question string) (string, error) {
	typed, is := g.In.(*os.File)
	if !g.Typed || !is {
		return g.ask(ctx, question, "")
	}
	if g.yes {
		return "", nil
	}
	fmt.Fprint(g.Err, question, "\n> ")
	before, err := term.GetState(int(typed.Fd()))
	if err != nil {
		return "", fmt.Errorf("look at the terminal: %w", err)
	}
	answer, err := g.answer(ctx, func() (string, error) {
		value, err := term.ReadPassword(int(typed.Fd()))
		return string(value), err
	})
	fmt.Fprintln(g.Err)
	if ctx.Err() != nil {
		err = errors.Join(err, term.Restore(int(typed.Fd()), before))
	}
	return answer, err
}

// answer reads one answer, unless the person leaves first.
func (g *guide) answer(ctx context.Context, read func() (string, error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	typed := make(chan line, 1)
	go func() { // until a line is typed, or with the process
		text, err := read()
		typed <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(g.Err)
		return "", &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("interrupted")}
	case got := <-typed:
		text := strings.TrimSpace(got.text)
		if errors.Is(got.err, io.EOF) && text == "" {
			fmt.Fprintln(g.Err)
			return "", fault.New(fault.Invalid, "standard input ended before this was answered: answer with flags, or give --yes")
		}
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", got.err)
		}
		return text, nil
	}
}

// agree asks for yes or no until it is one of them.
func (g *guide) agree(ctx context.Context, question string, offered bool) (bool, error) {
	choice := " [y/N]"
	if offered {
		choice = " [Y/n]"
	}
	for {
		answer, err := g.ask(ctx, question+choice, "")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return offered, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}

// choose asks for some of a list. The only one there is need not be asked for.
func (g *guide) choose(ctx context.Context, question string, of []string) ([]string, error) {
	if len(of) == 1 {
		return of, nil
	}
	for i, one := range of {
		question += fmt.Sprintf("\n  %d  %s", i+1, one)
	}
	if len(of) == 0 {
		question += " The script spells out none: write it, like api.example.com"
	} else {
		question += "\nNumbers, like 1 or 1,2"
	}
again:
	for {
		answer, err := g.ask(ctx, question, "")
		if err != nil || answer == "" {
			return nil, err
		}
		var chosen []string
		for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
			at, err := strconv.Atoi(word)
			switch {
			case err == nil && at >= 1 && at <= len(of):
				chosen = append(chosen, of[at-1])
			case err != nil:
				chosen = append(chosen, word) // a host that is spelled out
			default:
				fmt.Fprintf(g.Err, "There is no %d in the list.\n", at)
				continue again
			}
		}
		return chosen, nil
	}
}

// keysAt are pages on which services hand out keys, by the ends of their hosts.
var keysAt = map[string]string{
	"airtable.com":     "https://airtable.com/create/tokens",
	"anthropic.com":    "https://console.anthropic.com/settings/keys",
	"api.telegram.org": "https://t.me/BotFather",
	"discord.com":      "https://discord.com/developers/applications",
	"github.com":       "https://github.com/settings/tokens",
	"gitlab.com":       "https://gitlab.com/-/user_settings/personal_access_tokens",
	"hubapi.com":       "https://app.hubspot.com/l/private-apps",
	"linear.app":       "https://linear.app/settings/account/security",
	"notion.com":       "https://www.notion.so/profile/integrations",
	"openai.com":       "https://platform.openai.com/api-keys",
	"sendgrid.com":     "https://app.sendgrid.com/settings/api_keys",
	"shopify.com":      "https://admin.shopify.com/settings/apps/development",
	"slack.com":        "https://api.slack.com/apps",
	"stripe.com":       "https://dashboard.stripe.com/apikeys",
	"twilio.com":       "https://console.twilio.com/",
}

// signIn is the page on which the service of a host hands out keys; empty if it is not known.
func signIn(host string) string {
	name, _, _ := strings.Cut(host, ":")
	for end, page := range keysAt {
		if name == end || strings.HasSuffix(name, "."+end) {
			return page
		}
	}
	return ""
}
