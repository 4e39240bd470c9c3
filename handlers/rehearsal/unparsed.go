package rehearsal

import (
	"context"
	"errors"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Unparsed says why code that nobody has looked at yet is no script; empty if it is one. A worker looks
// at it: there are texts that keep a parser busy for ever.
func Unparsed(ctx context.Context, runner sandbox.Runner, code string) (problem string, err error) {
	err = runner.Check(ctx, code)
	if found, is := errors.AsType[*sandbox.SyntaxError](err); is {
		return found.Error(), nil
	}
	return "", err
}
