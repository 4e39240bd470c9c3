package llm

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// The parameters of a request that it can do without, or that have another name.
const (
	oldLimit      = "max_tokens"
	newLimit      = "max_completion_tokens"
	temperature   = "temperature"
	streaming     = "stream"
	streamOptions = "stream_options"
)

const (
	// mostAdapted bounds how often one request is sent anew because something of it was refused.
	mostAdapted = 8
	// leastAnswer is the shortest answer, in tokens, that is worth asking for.
	leastAnswer = 256
)

// capabilities are the parts of a request that the provider is known to take.
type capabilities struct {
	dropped map[string]bool
	ceiling int64 // of the tokens of an answer; 0 if none was named
}

// limitName is the name of the limit of an answer. Local servers know the old one only; newer models
// refuse it.
func (s capabilities) limitName() string {
	if s.dropped[oldLimit] {
		return newLimit
	}
	return oldLimit
}

// limit is how long an answer may be.
func (s capabilities) limit(wanted int64) int64 {
	if s.ceiling > 0 {
		return min(wanted, s.ceiling)
	}
	return wanted
}

// sends are the names of what can be left out of a request of this shape.
func (s capabilities) sends(request Request) []string {
	names := append([]string{temperature, streaming, streamOptions}, extraNames(request)...)
	return append(slices.DeleteFunc(names, func(name string) bool { return s.dropped[name] }), s.limitName())
}

// taken is the shape as it is now.
func (c *Client) taken() capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return capabilities{dropped: maps.Clone(c.shape.dropped), ceiling: c.shape.ceiling}
}

// LeftOut are the parameters that the provider was found not to take, which are not sent any more.
func (c *Client) LeftOut() []string {
	return slices.Sorted(maps.Keys(c.taken().dropped))
}

// adapt makes the request one that the provider may take, after it refused one of a shape: without the
// parameter that it named, and without no other, from then on; or with a shorter limit of the answer.
// It says whether to send it again.
func (c *Client) adapt(request *Request, sent capabilities, f *failure) bool {
	if f.Kind != Invalid || f.Param != "" { // it is our own finding
		return false
	}
	names := sent.sends(*request)
	f.Param = f.problem.names(names)
	asked := sent.limit(request.MaxTokens)
	if shorter, of := f.problem.shorter(asked); of && (f.Param == "" || f.Param == oldLimit || f.Param == newLimit) {
		f.Param = sent.limitName()
		if shorter < leastAnswer {
			return false
		}
		if !f.problem.aboutContext() {
			c.mu.Lock()
			c.shape.ceiling = shorter
			c.mu.Unlock()
		}
		request.MaxTokens = shorter
		return true
	}
	if !slices.Contains(names, f.Param) || f.Param == newLimit {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shape.dropped == nil {
		c.shape.dropped = map[string]bool{}
	}
	c.shape.dropped[f.Param] = true
	return true
}

var (
	word   = lazyregexp.New(`[A-Za-z_]+`)
	quoted = lazyregexp.New("[`'\"]([A-Za-z_.\\[\\]0-9]+)[`'\"]")
)

// names is the parameter that a provider refuses: the one that it says, else the first of those that
// were sent which its words name, in quotes or without. Empty if it names none.
func (p problem) names(sent []string) string {
	of := func(text string) string {
		for _, name := range slices.Backward(word.FindAllString(text, -1)) { // messages[1].reasoning_content
			if slices.Contains(sent, name) {
				return name
			}
		}
		return ""
	}
	if p.Param != "" {
		if name := of(p.Param); name != "" {
			return name
		}
		return p.Param
	}
	for _, said := range quoted.FindAllStringSubmatch(p.Message, -1) {
		if name := of(said[1]); name != "" {
			return name
		}
	}
	for _, said := range word.FindAllString(p.Message, -1) {
		if slices.Contains(sent, said) {
			return said
		}
	}
	return ""
}

var (
	contextOf = lazyregexp.New(`(?i)(?:maximum context length|context (?:length|window|size))[^0-9]{0,20}([0-9]+)`)
	inputOf   = lazyregexp.New(`(?i)([0-9]+)(?: input tokens| tokens? (?:from|in) the (?:input )?(?:messages|prompt)| in the messages| in the prompt)`)
	number    = lazyregexp.New(`(?:^|[^0-9A-Za-z_.-])([0-9]{3,})(?:$|[^0-9A-Za-z_-])`)
)

// aboutContext says that the limit was too long for what the context has left, not for the model.
func (p problem) aboutContext() bool { return contextOf.MatchString(p.Message) }

// shorter is a limit of the answer that the provider may take, if it says that the one asked for is too long: the
// limit that it names, else half.
func (p problem) shorter(asked int64) (limit int64, of bool) {
	words := strings.ToLower(p.code() + " " + p.Message)
	if strings.Contains(p.Param, "max_") {
		words += " " + p.Param
	}
	if !contains(words, "max_tokens", "max_completion_tokens", "max_new_tokens", "completion tokens", "in the completion", "output tokens") ||
		contains(words, "unsupported_parameter", "unsupported parameter", "not supported", "deprecated", "unknown", "unrecognized", "not permitted", "instead", "unexpected") {
		return 0, false
	}
	if all, input := contextOf.FindStringSubmatch(p.Message), inputOf.FindStringSubmatch(p.Message); all != nil {
		if input == nil {
			return asked / 2, true
		}
		return min(integer(all[1])-integer(input[1]), asked-1), true
	}
	for _, found := range number.FindAllStringSubmatch(p.Message, -1) {
		if n := integer(found[1]); n < asked {
			limit = max(limit, n)
		}
	}
	if limit == 0 {
		limit = asked / 2
	}
	return limit, true
}

func integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0 // more digits than any limit has
	}
	return n
}
