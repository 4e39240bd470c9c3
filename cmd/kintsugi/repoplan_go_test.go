package main

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: in a real Go repository, with its real compiler and its real tests: an agent that leaves a type error is healed in the file that
// the compiler names, one whose tests fail is held with what go test says, and what is merged builds and passes.
func TestRepoPlanOfAGoRepository(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	// The cache of who runs the tests, whose home is another one: compiled anew, the standard library takes half a minute.
	who, err := user.LookupId(strconv.Itoa(os.Getuid()))
	require.NoError(t, err)
	asked := exec.Command("go", "env", "GOCACHE")
	asked.Env = append(os.Environ(), "HOME="+who.HomeDir)
	cache, err := asked.Output()
	require.NoError(t, err)
	g.write("go.mod", "module shop\n\ngo 1.26\n")
	g.write("price/price.go", "// Package price has prices.\npackage price\n\n// Of is the price of so many.\nfunc Of(n int) int { return 3 * n }\n")
	g.write("price/price_test.go", "package price_test\n\nimport (\n\t\"testing\"\n\n\t\"shop/price\"\n)\n\nfunc TestOf(t *testing.T) {\n\tif price.Of(2) != 6 {\n\t\tt.Fatal(price.Of(2))\n\t}\n}\n")
	g.git("add", "-A")
	g.git("commit", "-qm", "a Go repository")
	head := "verify: [go build ./...]\nhealer: {}\nwall: {write: [" + strings.TrimSpace(string(cache)) + "]}\n"
	// As the Makefile compiles: then the standard library is compiled already.
	environment := "\nenvironment: {GOFLAGS: '-trimpath -gcflags=all=-dwarf=false', CGO_ENABLED: '0', GOPROXY: 'off', GOCACHE: " + strings.TrimSpace(string(cache)) + "}"
	const once = `if [ ! -e "$HOME/again" ]; then : >"$HOME/again"; `
	g.agent("tax", once+`mkdir tax; printf 'package tax\n\nfunc Of(n int) string { return n }\n' >tax/tax.go; exit 0; fi
		cat >"$HOME/told"; printf 'package tax\n\nfunc Of(n int) int { return n }\n' >tax/tax.go`)
	g.agent("rebate", `sed -i 's/3 \* n/3*n - 1/' price/price.go`)
	id := g.start(g.plan("go", head, "tax\ntouch: ['tax/**']\nverify: [go build ./...]"+environment, "rebate\ntouch: ['price/price.go']\nverify: [go test ./...]"+environment))
	g.dev()
	held := g.until(id, "held", ends)
	require.Equal(t, "merged", held.job("tax").Status, g.ok("repo", "plan", "show", id))
	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "tax"))
	require.Contains(t, g.ok("healer", "show", id+"-tax"), "fix_typecheck_errors")
	rebate := held.job("rebate").Checkpoint
	link := g.object("repo", "plan", "link", id, "rebate", "--for", "ann", "--public-url", "https://kintsugi.example.com")
	require.Contains(t, link["link"], "https://kintsugi.example.com/decide/")
	require.Equal(t, "test_failure", rebate.Kind)
	require.Contains(t, g.ok("repo", "plan", "show", id, "-o", "json"), "--- FAIL: TestOf", "what go test says is told")
	require.Equal(t, "func Of(n int) int { return 3 * n }", strings.Split(g.git("show", "agents/go:price/price.go"), "\n")[4])
}
