package workflow

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// HookStyle is how a sender proves itself at a hook.
type HookStyle string

// The styles of hooks.
const (
	HookStandard HookStyle = "standard" // signed as Standard Webhooks says: with an id and a time
	HookGitHub   HookStyle = "github"   // the body is signed, as GitHub does
	HookToken    HookStyle = "token"    // the secret itself is shown
	HookStripe   HookStyle = "stripe"
	HookSlack    HookStyle = "slack"
	HookShopify  HookStyle = "shopify"
	HookTwilio   HookStyle = "twilio"
	HookMeta     HookStyle = "meta"
	HookZoom     HookStyle = "zoom"
	HookDiscord  HookStyle = "discord"
	HookLinear   HookStyle = "linear"
	HookTelegram HookStyle = "telegram"
)

// HookStyles are all.
func HookStyles() []HookStyle {
	return []HookStyle{
		HookStandard, HookToken, HookGitHub, HookStripe, HookSlack, HookShopify, HookTwilio, HookMeta, HookZoom, HookDiscord, HookLinear, HookTelegram,
	}
}

// maxHooks bounds the hooks of a workflow.
const maxHooks = 20

const maxHookName = 40

var hookName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// LongestHookAnswer bounds how long a sender waits for a run.
const LongestHookAnswer = time.Minute

func validHooks(hooks map[string]HookStyle, answers map[string]int64) error {
	for name, within := range answers {
		if _, there := hooks[name]; !there {
			return invalid("setting hook_answers_ms has %q, and there is no such hook: make it first", name)
		}
		if within < 1 || within > LongestHookAnswer.Milliseconds() {
			return invalid("setting hook_answers_ms has %d for %q: a sender waits from 1 to %d milliseconds", within, name, LongestHookAnswer.Milliseconds())
		}
	}
	if len(hooks) > maxHooks {
		return invalid("a workflow has at most %d hooks", maxHooks)
	}
	for name, style := range hooks {
		switch {
		case len(name) > maxHookName || !hookName.MatchString(name):
			return invalid("%q is no name of a hook: it is made of 1 to 40 small letters, digits and -", name)
		case !slices.Contains(HookStyles(), style):
			names := []string{}
			for _, one := range HookStyles() {
				names = append(names, string(one))
			}
			return invalid("a hook is not of the style %q: choose from %s", style, strings.Join(names, ", "))
		}
	}
	return nil
}
