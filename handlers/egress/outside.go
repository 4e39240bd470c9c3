package egress

import (
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Live makes the calls of one run, or of one rehearsal, for real. It is closed after it.
type Live interface {
	sandbox.Host
	Close()
}

// Outside is the world around scripts. Nil is the real one: the host calls of package hostcall.
type Outside func(env *hostcall.Env) Live

// Live makes calls for real in an environment.
func (o Outside) Live(env *hostcall.Env) Live {
	if o == nil {
		return hostcall.NewHost(env)
	}
	return o(env)
}

// Secrets gives the value of a secret, if a workflow may send it to a host. An error says that it
// cannot be read now, whether it may or not.
type Secrets func(workflow, name, host string) (value string, ok bool, err error)

// Of is what one workflow may have.
func (s Secrets) Of(workflow string) func(name, host string) (string, bool, error) {
	if s == nil {
		return nil
	}
	return func(name, host string) (string, bool, error) { return s(workflow, name, host) }
}
