package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// TypeCheck is what TypeScript's compiler says of a script.
type TypeCheck struct {
	// By names the compiler and its version. Empty if there is none on this machine: nothing was checked.
	By       string   `json:"by,omitempty"`
	Findings []string `json:"findings,omitempty"` // line, column and what is wrong
}

// CheckTypes has the tsc of this machine's PATH, if there is one, check a script against the declarations of what scripts
// may call. It is given a folder of its own, and nothing of the script runs.
func CheckTypes(ctx context.Context, code, file string) (check TypeCheck, err error) {
	compiler, err := exec.LookPath("tsc")
	if err != nil {
		return TypeCheck{}, nil
	}
	dir, err := os.MkdirTemp("", "kintsugi-types-")
	if err != nil {
		return check, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	name := "script.js"
	if strings.HasSuffix(file, ".ts") {
		name = "script.ts"
	}
	// No types but ours: what is installed around the folder is not what a script finds. Compilers differ in whether they are
	// strict unless they are told, and then find a parameter without a type wrong, in JavaScript, too.
	options := `{"compilerOptions": {"noEmit": true, "strict": false, "allowJs": true, "checkJs": true, "skipLibCheck": true, "target": "es2022", "lib": ["es2023"],
		"module": "es2022", "moduleDetection": "force", "types": []}, "files": ["` + name + `", "kintsugi.d.ts"]}`
	for name, content := range map[string]string{name: code, "kintsugi.d.ts": hostcall.Types(), "tsconfig.json": options} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return check, err
		}
	}
	version, err := exec.CommandContext(ctx, compiler, "--version").Output()
	if err != nil {
		return check, fmt.Errorf("%s --version: %w", compiler, err)
	}
	check.By = "tsc " + strings.TrimPrefix(strings.TrimSpace(string(version)), "Version ")
	command := exec.CommandContext(ctx, compiler, "--project", dir, "--pretty", "false")
	command.Dir = dir
	said, err := command.CombinedOutput()
	for line := range strings.Lines(string(said)) {
		if found := typeFault.FindStringSubmatch(strings.TrimSpace(line)); found != nil && found[1] == name {
			check.Findings = append(check.Findings, fmt.Sprintf("line %s, column %s: %s", found[2], found[3], found[4]))
		}
	}
	if _, ran := errors.AsType[*exec.ExitError](err); ran && len(check.Findings) > 0 {
		err = nil
	}
	if err != nil {
		return check, fmt.Errorf("%s: %w: %s", check.By, err, strings.TrimSpace(string(said)))
	}
	return check, nil
}

// typeFault is a line of tsc without --pretty.
var typeFault = lazyregexp.New(`^([^(]+)\((\d+),(\d+)\): error (.*)$`)
