package hostcall

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Said is what a service says in the body of a success about why it is none.
type Said struct {
	Class        string
	Code         string // [CodeSaid] or [CodeRetired]
	Text         string // in the service's words
	RetryAfterMS int64  // that it names, 0 if it does not
	// Open says that a write which is answered so may have been carried out all the same: a trouble is told, and no refusal.
	Open bool
}

// saidIn are the members that services put such words in, without case and punctuation.
var saidIn = []string{
	"error", "errors", "message", "msg", "note", "notice", "information", "info", "detail", "details", "errormessage", "errordescription",
	"description", "title", "reason", "fault", "faultstring", "status", "statuscode", "code", "errorcode", "httpstatus", "httpcode", "type",
	"warning", "hint", "extensions",
}

// saying are the prose of services for what is the matter, the surest first.
var saying = []struct {
	class, code string
	words       *lazyregexp.Pattern
}{
	{sandbox.ClassLogic, CodeRetired, lazyregexp.New(`(?i)\bretired\b|\bsunset|deprecated|discontinued|decommissioned|no longer (?:available|supported|exists?|maintained|active|served)|(?:was|been|is) (?:removed|shut down|turned off|switched off|replaced)|end[- ]of[- ]life|\b(?:use|migrate|upgrade|switch|moved?|go) (?:to )?(?:the )?\S*\bv\d`)},
	{sandbox.ClassAuth, CodeSaid, lazyregexp.New(`(?i)(?:invalid|expired|missing|bad|incorrect|wrong|revoked|unknown) (?:api[ _-]?key|access[ _-]?token|token|credentials|key)\b|\b(?:api[ _-]?key|token|session|credentials?) (?:(?:is|has|are|was) )?(?:been )?(?:invalid|expired|missing|revoked|required|not valid)|unauthori[sz]ed|not (?:authenticated|logged in)|authentication (?:failed|required)|log ?in required|please (?:log|sign) in`)},
	{sandbox.ClassNetwork, CodeSaid, lazyregexp.New(`(?i)rate[ -]?limit|too many (?:requests|calls)|(?:calls|requests|hits|queries) (?:per|a|each) (?:second|minute|hour|day|month)|throttl|slow down|(?:limit|quota) (?:(?:has been|was|is) )?(?:reached|exceeded|used up)|(?:reached|exceeded) .{0,40}\b(?:limit|quota)`)},
	{sandbox.ClassNetwork, CodeSaid, lazyregexp.New(`(?i)try again|temporar(?:y|ily)|(?:service|server) (?:is )?(?:currently )?(?:unavailable|busy|overloaded|down)|\bmaintenance\b|timed? ?out|internal (?:server )?error`)},
}

var (
	waitNamed = lazyregexp.New(`(?i)(?:again|retry|wait|after|reset)\D{0,40}?(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b`)
	perUnit   = lazyregexp.New(`(?i)\b(?:second|minute|hour|day|month)\b`)
)

// SaidIn finds in the body of a success what says that it is none: a rate limit, an endpoint that is no more, credentials that do not
// count, a trouble that passes. body is as [orderedjson.Decode] gives it. An ordinary place says nothing.
func SaidIn(body any, ordinary func(path []string) bool) (Said, bool) {
	var best Said
	rank := len(saying)
	longest, waits := "", time.Duration(0)
	take := func(at int, class, code, text string) {
		if at < rank {
			best, rank = Said{Class: class, Code: code, Text: text}, at
		}
	}
	eachSaid(body, nil, ordinary, func(key string, value any) {
		switch v := value.(type) {
		case float64:
			if strings.HasPrefix(key, "retryafter") && v > 0 {
				waits = secondsOf(v)
				if strings.HasSuffix(key, "ms") {
					waits /= 1000
				}
			} else if !strings.HasPrefix(key, "retry") {
				takeStatus(int(v), take)
			}
		case string:
			if n, err := strconv.Atoi(v); err == nil {
				takeStatus(n, take)
				return
			}
			if strings.ContainsRune(strings.TrimSpace(v), ' ') && len(v) > len(longest) {
				longest = v
			}
			switch reasons[normalise(v)] {
			case authReason:
				take(1, sandbox.ClassAuth, CodeSaid, v)
			case rateReason, quotaReason:
				take(2, sandbox.ClassNetwork, CodeSaid, v)
			case noReason:
			}
			for at, one := range saying {
				if one.words.MatchString(v) {
					take(at, one.class, one.code, v)
				}
			}
		}
	})
	if rank == len(saying) {
		return Said{}, false
	}
	if !strings.ContainsRune(best.Text, ' ') { // a word, or a number: the prose beside it says more
		best.Text = cmp.Or(longest, best.Text)
	}
	best.Text, best.Open = firstBytes([]byte(best.Text), maxSaid), rank == len(saying)-1
	if best.Class == sandbox.ClassNetwork {
		best.RetryAfterMS = min(cmp.Or(waits, waitIn(best.Text)), maxRetryAfter).Milliseconds()
	}
	return best, true
}

// maxSaid is as much of a service's words as is quoted.
const maxSaid = 500

func takeStatus(status int, take func(at int, class, code, text string)) {
	text := strconv.Itoa(status)
	switch status {
	case http.StatusGone:
		take(0, sandbox.ClassLogic, CodeRetired, text)
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		take(1, sandbox.ClassAuth, CodeSaid, text)
	case http.StatusTooManyRequests:
		take(2, sandbox.ClassNetwork, CodeSaid, text)
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		take(3, sandbox.ClassNetwork, CodeSaid, text)
	}
}

// waitIn is how long a text asks to wait; for a limit in some time it is that time, an hour at most.
func waitIn(text string) time.Duration {
	if m := waitNamed.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || math.IsInf(n, 0) {
			return 0
		}
		switch unit := strings.ToLower(m[2]); {
		case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
			n /= 1000
		case unit[0] == 'm':
			n *= 60
		case unit[0] == 'h':
			n *= 3600
		}
		return secondsOf(n)
	}
	switch strings.ToLower(perUnit.FindString(text)) {
	case "":
		return 0
	case "second":
		return time.Second
	case "minute":
		return time.Minute
	}
	return time.Hour
}

// eachSaid visits what stands, not too deep, at the members that services say such things in.
func eachSaid(value any, path []string, ordinary func([]string) bool, visit func(key string, value any)) {
	const deepest = 5
	if len(path) > deepest {
		return
	}
	switch v := value.(type) {
	case *orderedjson.Object:
		for _, name := range v.Keys {
			if key := normalise(name); slices.Contains(saidIn, key) || strings.HasPrefix(key, "retryafter") {
				eachSaid(v.Fields[name], append(slices.Clip(path), name), ordinary, visit)
			}
		}
	case []any:
		if len(path) == 0 {
			return // a list is data
		}
		for _, one := range v[:min(len(v), 3)] {
			eachSaid(one, append(slices.Clip(path), "[]"), ordinary, visit)
		}
	case string, float64:
		if !ordinary(path) {
			key := ""
			if len(path) > 0 {
				key = normalise(path[len(path)-1])
			}
			visit(key, v)
		}
	}
}
