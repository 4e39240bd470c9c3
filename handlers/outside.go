package handlers

import (
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// Live makes the calls of one run, or of one rehearsal, for real. It is closed after it.
type Live interface {
	sandbox.Host
	Close()
}

// Outside is the world around scripts. Nil is the real one: the tools of package tool.
type Outside func(env *tool.Env) Live

func (o Outside) live(env *tool.Env) Live {
	if o == nil {
		return tool.NewHost(env)
	}
	return o(env)
}
