package packages_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

const code = "import a from './a.ts';\nmain();\n//# file ./a.ts\nexport default 1;\n//# packages sha256 %\n//# @x/y/z 1.0.0: a, b\n//# dayjs 1.11.13: default\n//# with lodash 4.17.21, ms 2.0.0\n"

// Rule: a code says where its files are, and which packages it takes.
func TestCode(t *testing.T) {
	t.Parallel()
	files := packages.Split(code)
	require.Len(t, files, 2)
	require.Equal(t, "import a from './a.ts';\nmain();\n", code[files[0].Start:files[0].End])
	require.Equal(t, "./a.ts export default 1;\n", files[1].Name+" "+code[files[1].Start:files[1].End])
	name, line := packages.Place(code, 4)
	require.Equal(t, "./a.ts", name)
	require.Equal(t, 1, line)
	name, line = packages.Place(code, 2)
	require.Empty(t, name)
	require.Equal(t, 2, line)

	lock := packages.LockOf(code)
	_, after, found := strings.Cut(code, "//# packages")
	require.True(t, found)
	require.Equal(t, "//# packages"+after, lock.String())
	require.Equal(t, []string{"@x/y 1.0.0", "dayjs 1.11.13", "lodash 4.17.21", "ms 2.0.0"}, lock.Packages())
	require.True(t, lock.Module("@x/y/z").Has("b"))
	require.False(t, lock.Module("dayjs").Has("a"))
	require.Nil(t, lock.Module("ms"))
	require.Nil(t, packages.LockOf("x = '//# packages sha256 1'"))
	require.Empty(t, packages.LockOf("main()").String())
}

// Rule: the text of packages that comes with a code is the one of its digest, or nothing is taken.
func TestPortable(t *testing.T) {
	t.Parallel()
	text, digest, err := (&packages.Text{Modules: map[string]map[string]string{"a": {"default": "n0"}}, Code: "exports.n0 = '" + t.Name() + "'"}).Encode()
	require.NoError(t, err)
	whole := strings.Replace(code, "%", digest, 1)
	portable, err := packages.Portable(whole, text)
	require.NoError(t, err)
	require.Empty(t, packages.Known(digest))
	gotCode, gotText, err := packages.Open(portable)
	require.NoError(t, err)
	require.Equal(t, whole, gotCode)
	require.Equal(t, text, gotText)
	require.Equal(t, text, packages.Known(digest))

	gotCode, gotText, err = packages.Open("main()")
	require.NoError(t, err)
	require.Equal(t, "main()", gotCode+gotText)

	other := strings.Replace(portable, digest, packages.Digest("other"), 1)
	_, _, err = packages.Open(other)
	require.ErrorContains(t, err, "not the one of its digest")
	_, _, err = packages.Open("main()\n//# text \"AAAA\"\n")
	require.ErrorContains(t, err, "no lines that say which they are")
	_, _, err = packages.Open(whole + "//# text \"AAAA\"\n")
	require.Error(t, err)
	_, err = packages.Unpack(pack(t, strings.Repeat("a", packages.MaxText+1)), digest)
	require.ErrorContains(t, err, "too large")
}

// Rule: a tenant uses the packages that they brought, or that a workflow of theirs keeps. The digest of somebody else's is of no use. The program itself uses all.
func TestPackagesAreATenants(t *testing.T) {
	t.Parallel()
	text, digest, err := (&packages.Text{Code: "exports.n0 = '" + t.Name() + "'"}).Encode()
	require.NoError(t, err)
	portable, err := packages.Portable(strings.Replace(code, "%", digest, 1), text)
	require.NoError(t, err)
	ann, bob := packages.For(t.Context(), "ann"), packages.For(t.Context(), "bob")
	whole, _, err := packages.OpenFor(ann, portable)
	require.NoError(t, err)
	require.Equal(t, []string{text, "", text}, []string{packages.Allowed(ann, digest), packages.Allowed(bob, digest), packages.Allowed(t.Context(), digest)})
	require.NoError(t, packages.Fetch(ann, whole))
	require.NoError(t, packages.Fetch(t.Context(), whole))
	require.ErrorContains(t, packages.Fetch(bob, whole), "no workflow keeps the packages")

	packed := pack(t, text)
	defer packages.AddSource(func(_ context.Context, tenant, of string) ([]byte, error) {
		if of != digest || tenant != "cy" {
			return nil, errors.New("none of the tenant's keeps it")
		}
		return packed, nil
	})()
	require.NoError(t, packages.Fetch(packages.For(t.Context(), "cy"), whole))
	require.ErrorContains(t, packages.Fetch(bob, whole), "none of the tenant's keeps it")
}

func pack(t *testing.T, text string) []byte {
	t.Helper()
	packed, err := packages.Pack(text)
	require.NoError(t, err)
	return packed
}
