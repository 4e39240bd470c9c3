package app

import (
	"context"
	"encoding/base64"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/folder"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// ReadFolder is the code of a folder, or of a file and what it imports, on this machine. The text of its packages is at hand from
// then on, and Absent what of Node they may miss.
func ReadFolder(path string) (made *folder.Made, err error) {
	made, err = folder.Read(path, folder.Options{Has: func(module string) bool { return process.CheckModule(module) == nil }})
	if err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	if made.Text != "" {
		packages.Keep(made.Text)
	}
	return made, nil
}

// OpenScript is the code of what somebody hands over as a script, who may have put the text of its packages behind it: that is at
// hand from then on.
func OpenScript(ctx context.Context, text string) (code string, err error) {
	if code, _, err = packages.OpenFor(ctx, text); err != nil {
		return "", fault.New(fault.Invalid, "the packages of the script: %w", err)
	}
	return code, nil
}

// PackagesOf is what a save of a code brings with it, if the text of its packages is at hand to who saves: nil if it takes none, or if they are kept
// already.
func PackagesOf(ctx context.Context, code string) (*workflow.PackagesKept, error) {
	lock := packages.LockOf(code)
	if lock == nil {
		return nil, nil
	}
	text := packages.Allowed(ctx, lock.Digest)
	if text == "" {
		return nil, nil
	}
	packed, err := packages.Pack(text)
	if err != nil {
		return nil, err
	}
	return &workflow.PackagesKept{SHA256: lock.Digest, Names: lock.Packages(), Packed: base64.StdEncoding.EncodeToString(packed)}, nil
}
