package subscription

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// maxTarget bounds a target.
const maxTarget = 2 << 10

// server is a kind of target that is a server of its own protocol, with what its address has to say.
type server struct {
	plain bool // it may be spoken to without encryption, if a person said so
	form  string
	check func(u *url.URL) bool
}

// servers are by scheme. The name of a scheme that encrypts is the usual one.
var servers = func() map[string]server {
	nats := server{form: "host:4222/SUBJECT", check: named(subjects)}
	kafka := server{form: "host:9092/TOPIC", check: named(topics, "sasl")}
	amqp := server{form: "host:5672/VHOST?exchange=NAME or ?queue=NAME", check: func(u *url.URL) bool {
		return allowed(u, "exchange", "queue") && u.Query().Has("exchange") != u.Query().Has("queue") && u.Query().Get("queue")+u.Query().Get("exchange") != ""
	}}
	redis := server{form: "host:6379/DATABASE?stream=NAME", check: func(u *url.URL) bool {
		return allowed(u, "stream", "maxlen") && u.Query().Get("stream") != "" && number(u.Path[min(1, len(u.Path)):]) && number(u.Query().Get("maxlen"))
	}}
	letters := server{form: "USER@host:587?from=ADDRESS&to=ADDRESS", check: func(u *url.URL) bool {
		return allowed(u, "from", "to") && len(u.Query()["from"]) == 1 && u.Query().Has("to") && strings.Trim(u.Path, "/") == "" && !slices.ContainsFunc(
			append(u.Query()["to"], u.Query().Get("from")), func(one string) bool { return !addresses().MatchString(one) })
	}}
	all := map[string]server{"nats+tls": nats, "kafka+tls": kafka, "amqps": amqp, "rediss": redis, "smtps": letters, "smtp": letters} // smtp: STARTTLS
	for name, one := range map[string]server{"nats": nats, "kafka": kafka, "amqp": amqp, "redis": redis} {
		one.plain = true
		all[name] = one
	}
	return all
}()

// Targets are what a target may be, for people.
const Targets = "webhook:https://…, slack:https://…, smtp://…, nats://…, kafka://…, amqp://…, redis://… or exec:./program"

var (
	// Compiled when a target is looked at, which is seldom: each takes longer, and more memory, than the rest of the package.
	subjects  = whenNeeded(`^/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	topics    = whenNeeded(`^/[A-Za-z0-9._-]{1,249}$`)
	addresses = whenNeeded(`^([^<>",;:]{1,100} )?(<[^@\s<>",;:]{1,64}@[^@\s<>",;:]{1,190}>|[^@\s<>",;:]{1,64}@[^@\s<>",;:]{1,190})$`)
	digits    = whenNeeded(`^[0-9]{0,9}$`)
)

func whenNeeded(form string) func() *regexp.Regexp {
	return func() *regexp.Regexp { return regexp.MustCompile(form) }
}

func named(form func() *regexp.Regexp, keys ...string) func(*url.URL) bool {
	return func(u *url.URL) bool { return allowed(u, keys...) && form().MatchString(u.Path) }
}

func allowed(u *url.URL, keys ...string) bool {
	for key := range u.Query() {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

func number(text string) bool { return digits().MatchString(text) }

// Scheme is what a target begins with.
func Scheme(target string) string {
	scheme, _, _ := strings.Cut(target, ":")
	return scheme
}

// kind is the scheme of a target as it is without encryption.
func kind(target string) string {
	scheme := Scheme(target)
	for plain, one := range encrypted {
		if one == scheme {
			return plain
		}
	}
	if scheme == "smtps" {
		return "smtp"
	}
	return scheme
}

// ForPeople says that a target is read by people: they are told in words, of what concerns them.
func (d Definition) ForPeople() bool {
	return slices.Contains([]string{"slack", "smtp", "smtps"}, Scheme(d.Target))
}

// Address is the address that events are sent to, nil for a program.
func (d Definition) Address() (*url.URL, error) {
	switch scheme, rest, _ := strings.Cut(d.Target, ":"); scheme {
	case "exec":
		return nil, nil
	case "webhook", "slack":
		return url.Parse(rest)
	}
	return url.Parse(d.Target)
}

func checkTarget(d Definition) error {
	if len(d.Target) > maxTarget || strings.ContainsFunc(d.Target, unicode.IsControl) {
		return fault.New(fault.Invalid, "a target has no control characters, and at most %d bytes", maxTarget)
	}
	scheme := Scheme(d.Target)
	one, server := servers[scheme]
	if d.Binary && scheme != "webhook" {
		return fault.New(fault.Invalid, "only a webhook is sent events in the binary form: leave --binary out")
	}
	switch {
	case scheme == "webhook" || scheme == "slack" || server:
	case scheme != "exec":
		return fault.New(fault.Invalid, "%q is no target: use %s", d.Target, Targets)
	case !strings.HasPrefix(d.Target, "exec:/"):
		return fault.New(fault.Invalid, "%q names no program by its whole path", d.Target)
	default:
		return nil
	}
	u, err := d.Address()
	web := u != nil && (u.Scheme == "https" || u.Scheme == "http")
	switch {
	case server && (err != nil || u.Hostname() == "" || !one.check(u)):
		return fault.New(fault.Invalid, "%q is not an address of %s: use %s://%s", d.Target, scheme, scheme, one.form)
	case !server && (err != nil || u.Hostname() == "" || !web):
		return fault.New(fault.Invalid, "%q is not the address of a webhook: use %s:https://host/path", d.Target, scheme)
	case !server && u.User != nil:
		return fault.New(fault.Invalid, "the address of a webhook has a password in it, and everybody who reads the log would see it: deliveries are signed instead")
	case secretIn(u):
		return fault.New(fault.Invalid, "the target has a password in it, and everybody who reads the log would see it")
	case scheme == "slack" && (u.Path != "" || u.RawQuery != ""):
		return fault.New(fault.Invalid, "the address of a Slack webhook is a secret as a whole, and everybody who reads the log would see it")
	case u.Fragment != "":
		return fault.New(fault.Invalid, "the target has a fragment (#%s), which is never sent: leave it out", u.Fragment)
	case !d.AllowPrivate && (u.Scheme == "http" || one.plain):
		return fault.New(fault.Invalid, "events are not sent unencrypted through public networks: use %s, or --allow-private for an address of your own network", encrypted[u.Scheme])
	}
	return nil
}

var encrypted = map[string]string{"http": "https", "nats": "nats+tls", "kafka": "kafka+tls", "amqp": "amqps", "redis": "rediss"}

func secretIn(u *url.URL) bool {
	if u.User == nil {
		return false
	}
	_, secret := u.User.Password()
	return secret
}

// Part takes out of a target what nobody may read in the log: a password, and of a Slack webhook all but its host. It is
// kept elsewhere. A target that is none is given back as it is.
func Part(target string) (public, secret string) {
	d := Definition{Target: target}
	u, err := d.Address()
	if err != nil || u == nil {
		return target, ""
	}
	scheme := Scheme(target)
	switch _, server := servers[scheme]; {
	case server && secretIn(u):
		secret, _ = u.User.Password()
		u.User = url.User(u.User.Username())
		return u.String(), secret
	case scheme == "slack" && u.Host != "" && u.User == nil && u.Fragment == "" && (u.Path != "" || u.RawQuery != ""):
		return "slack:" + (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), u.RequestURI()
	}
	return target, ""
}
