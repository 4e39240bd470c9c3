package coding

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// ending is how an agent words an end. It has to begin a line, so that an agent that only quotes these words is not taken for one that ended so.
type ending struct {
	kind  plan.EndingKind
	words *regexp.Regexp
}

func ends(kind plan.EndingKind, words string) ending {
	return ending{kind, regexp.MustCompile(`^(?i:[^\pL]*(?:error:\s*|api error:\s*|litellm\.\w+:\s*)*(?:` + words + `))`)}
}

// serviceEndings are the words of the services themselves, which all agents pass on.
var serviceEndings = []ending{
	ends(plan.EndingNoCredit, `your credit balance is too low|you exceeded your current quota, please check your plan and billing|insufficient_quota|insufficient credits|payment required|monthly usage limit reached`),
	ends(plan.EndingNotSignedIn, `invalid x-api-key|incorrect api key provided|invalid api key|api key not valid|missing api key|.{0,40}api key is missing|unexpected status 401|.{0,40}authentication_?error`),
	ends(plan.EndingLimited, `this request would exceed your (?:account|organization)'s rate limit|rate limit reached|.{0,40}rate_?limit_?error|(?:the )?usage limit has been reached|too many requests`),
	ends(plan.EndingBusy, `overloaded|service unavailable|connection error`),
	ends(plan.EndingContextFull, `prompt is too long|your input exceeds the context window|.{0,60}context_length_exceeded|.{0,40}contextwindowexceedederror`),
}

// The words of each agent: what its program wrote here, started without a key, and at a service that answers with each of its documented errors.
var (
	claudeEndings = []ending{
		ends(plan.EndingNoCredit, `credit balance is too low|you're out of usage credits|you've hit your (?:org's )?monthly (?:spend )?limit|your (?:anthropic_api_key belongs to a disabled|organization has been disabled)`),
		ends(plan.EndingNotSignedIn, `not logged in|please run /login|invalid api key · |oauth token (?:revoked|has expired)|failed to authenticate|your organization has disabled`),
		ends(plan.EndingLimited, `you've (?:hit|reached) your .{0,40}limit|claude (?:ai )?usage limit reached|request rejected \(429\)|\d+-hour limit reached`),
		ends(plan.EndingBusy, `repeated 529|the api is at capacity|unable to connect to api`),
		ends(plan.EndingRefused, `claude code is unable to respond to this request`),
	}
	codexEndings = []ending{
		ends(plan.EndingNoCredit, `quota exceeded\. check your plan|your workspace is out of credits`),
		ends(plan.EndingNotSignedIn, `not logged in|.{0,60}please (?:log|sign) (?:in|out)`),
		ends(plan.EndingLimited, `you.ve hit your usage limit|exceeded retry limit, last status: 429`),
		ends(plan.EndingBusy, `selected model is at capacity|reconnecting\.\.\. waiting for network|stream disconnected before completion|exceeded retry limit, last status: 5`),
		ends(plan.EndingContextFull, `codex ran out of room in the model's context window`),
		ends(plan.EndingRefused, `this content was flagged|invalid prompt: your prompt was flagged`),
	}
	geminiEndings = []ending{
		ends(plan.EndingNotSignedIn, `please set an auth method|invalid auth method selected|error when talking to gemini api.{0,300}api key not valid`),
		ends(plan.EndingLimited, `error when talking to gemini api.{0,300}(?:resource_exhausted|you have exhausted your)`),
		ends(plan.EndingRefused, `error when talking to gemini api.{0,300}prohibited_content`),
	}
	aiderEndings = []ending{
		ends(plan.EndingNotSignedIn, `no llm model was specified and no api keys were provided|the api provider is not able to authenticate you`),
		ends(plan.EndingLimited, `the api provider has rate limited you`),
		ends(plan.EndingBusy, `the api provider.s servers are (?:down or )?overloaded`),
		ends(plan.EndingContextFull, `model .{0,80} has hit a token limit`),
	}
)

var colours = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// lastLines is how many lines of the end of an output are looked at: agents say last why they ended.
const lastLines = 16

// EndingOf is what the end of an agent's output says of its end; nil if its profile knows none of the words, or it has none.
func EndingOf(agent plan.Program, output string, now time.Time) *plan.Ending {
	of, is := profileOf(agent)
	if !is {
		return nil
	}
	var lines []string
	for line := range strings.Lines(colours.ReplaceAllString(output, "")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "at ") { // frames of a stack tell nothing
			lines = append(lines, line)
		}
	}
	lines = lines[max(0, len(lines)-lastLines):]
	for _, line := range slices.Backward(lines) {
		for _, one := range slices.Concat(of.endings, serviceEndings) {
			if one.words.MatchString(line) {
				return &plan.Ending{Kind: one.kind, Agent: of.Name, Says: failure.Cut(line, maxSaid), Until: until(strings.Join(lines, "\n"), now)}
			}
		}
	}
	return nil
}

const maxSaid = 300

// profileOf is the profile of the agent that a command line starts.
func profileOf(agent plan.Program) (Profile, bool) {
	words := []string(agent)
	if len(words) == 3 && words[1] == "-c" {
		words = strings.Fields(words[2])
	}
	for _, word := range words {
		if strings.Contains(word, "=") || word == "exec" || word == "env" { // what stands before a program in a line of the shell
			continue
		}
		at := slices.IndexFunc(Profiles, func(one Profile) bool { return one.Name == filepath.Base(word) })
		if at < 0 {
			return Profile{}, false
		}
		return Profiles[at], true
	}
	return Profile{}, false
}

var (
	untilUnix  = regexp.MustCompile(`limit reached\|(\d{10})\b`)
	untilAfter = regexp.MustCompile(`(?i)(?:try again|retry|reset(?:s)?) (?:in|after) ((?:\d+(?:\.\d+)?\s*(?:days?|d|hours?|h|minutes?|min|ms|m|seconds?|s)[ ,]*)+)`)
	untilPart  = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(days?|d|hours?|h|minutes?|min|ms|m|seconds?|s)`)
	// untilClock is a time of the day, perhaps with its day and its zone: "resets 12:50am (Asia/Tokyo)", "resets Oct 14, 5pm (UTC)", "try again at Nov 30th, 2026 12:53 AM".
	untilClock = regexp.MustCompile(`(?i)(?:try again at|resets?(?: at)?) (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,?(?: at)?(?: (\d{4}))?,? )?(\d{1,2})(?::(\d{2}))? ?([ap]m)\b(?: \(([A-Za-z_/+\-0-9]+)\))?`)
)

// overFor is for how long a time of the day is taken for one that has just been; later it is tomorrow's.
const overFor = 30 * time.Minute

// until is when an agent says that it can go on; zero if it does not. A time without a zone is the machine's.
func until(line string, now time.Time) time.Time {
	if found := untilUnix.FindStringSubmatch(line); found != nil {
		seconds, err := strconv.ParseInt(found[1], 10, 64)
		if err != nil {
			return time.Time{}
		}
		return time.Unix(seconds, 0)
	}
	if found := untilAfter.FindStringSubmatch(line); found != nil {
		var after time.Duration
		for _, part := range untilPart.FindAllStringSubmatch(found[1], -1) {
			count, err := strconv.ParseFloat(part[1], 64)
			if err != nil {
				return time.Time{}
			}
			unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}[strings.ToLower(part[2][:1])]
			if strings.EqualFold(part[2], "ms") {
				unit = time.Millisecond
			}
			after += time.Duration(count * float64(unit))
		}
		return now.Add(after)
	}
	found := untilClock.FindStringSubmatch(line)
	if found == nil {
		return time.Time{}
	}
	zone := time.Local
	if found[7] != "" {
		named, err := time.LoadLocation(found[7])
		if err != nil {
			return time.Time{}
		}
		zone = named
	}
	hour, minute := number(found[4])%12, number(found[5])
	if strings.EqualFold(found[6], "pm") {
		hour += 12
	}
	here := now.In(zone)
	if found[1] == "" {
		at := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
		if now.Sub(at) > overFor {
			at = at.AddDate(0, 0, 1)
		}
		return at
	}
	month, err := time.Parse("Jan", strings.ToUpper(found[1][:1])+strings.ToLower(found[1][1:]))
	if err != nil {
		return time.Time{}
	}
	year := here.Year()
	if found[3] != "" {
		year = number(found[3])
	}
	at := time.Date(year, month.Month(), number(found[2]), hour, minute, 0, 0, zone)
	if found[3] == "" && now.Sub(at) > 180*24*time.Hour { // in January it is said of December's end
		at = at.AddDate(1, 0, 0)
	}
	return at
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil { // an empty part, for the expression lets nothing else through
		return 0
	}
	return n
}
