package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An address is shown without its password, however it is written, and two addresses of one
// database are known to be the same.
func TestStoreAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		backend Backend
		shown   string
	}{
		"postgres://db/kintsugi":                            {Postgres, "postgres://db/kintsugi"},
		"postgresql://ann:s3cret@db:5432/k?sslmode=disable": {Postgres, "postgresql://ann:xxxxx@db:5432/k?sslmode=disable"},
		"postgres://ann:s3%40cret@db/k":                     {Postgres, "postgres://ann:xxxxx@db/k"},
		"postgres://ann:s3@cret@db/k":                       {Postgres, "postgres://ann:xxxxx@db/k"},
		"postgres:///k?host=/tmp&user=ann&password=s3cret":  {Postgres, "postgres:///k?host=%2Ftmp&password=xxxxx&user=ann"},
		"postgres://ann:s3cret@one:1,two:2/k":               {Postgres, "postgres://ann:xxxxx@one:1,two:2/k"},
		"POSTGRES://db/k":                                   {Postgres, "postgres://db/k"},
		"esdb://admin:s3cret@localhost:2113?tls=false":      {Kurrent, "esdb://admin:xxxxx@localhost:2113?tls=false"},
		"esdb+discover://admin:s3cret@cluster":              {Kurrent, "esdb+discover://admin:xxxxx@cluster"},
		"kurrentdb://one:2113,two:2113,three":               {Kurrent, "kurrentdb://one:2113,two:2113,three"},
	} {
		address, err := ParseStore(text, "data")
		require.NoError(t, err, text)
		require.Equal(t, want.backend, address.Backend)
		require.Equal(t, want.shown, address.String())
		if len(address.secrets) > 0 {
			require.NotContains(t, address.Redact("cannot reach "+text+", nor "+address.secrets[0]), "s3")
		}
		require.Equal(t, text, address.url)
	}
	one, err := ParseStore("postgres://ann:one@db:5432/k", "")
	require.NoError(t, err)
	two, err := ParseStore("postgresql://bob:two@DB:5432/k/?connect_timeout=3", "")
	require.NoError(t, err)
	other, err := ParseStore("postgres://ann:one@db:5432/other", "")
	require.NoError(t, err)
	require.Equal(t, one.Same, two.Same)
	require.Equal(t, one.key(), two.key())
	require.NotEqual(t, one.key(), other.key())
	require.Regexp(t, `^postgres-[0-9a-f]{12}$`, one.key())
}

// A short password would be found in the middle of words: only where passwords stand it is cut out.
func TestShortPasswords(t *testing.T) {
	t.Parallel()
	address, err := ParseStore("postgres://ann:a@db/k", "")
	require.NoError(t, err)
	require.Equal(t, "cannot dial ann:xxxxx@db: password=xxxxx refused", address.Redact("cannot dial ann:a@db: password=a refused"))
}

// An address that cannot be parsed is refused, with what to do, and without repeating it.
func TestStoreAddressesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"mysql://ann:s3cret@db/k":           `stores of the kind "mysql://" are not known`,
		"://s3cret":                         "are not known",
		"postgres://ann:s3/cret@db/k":       "write / as %2F",
		"postgres://ann:1234/s3cret@db/k":   "write / as %2F",
		"postgres://ann:s3?cret@db/k":       "cannot be read",
		"postgres://ann:s3%zzcret@db/k":     "cannot be read",
		"postgres://ann:s3cret@db:port/k":   "cannot be read",
		"esdb://ann:s3#cret@localhost:2113": "cannot be read",
		"kintsugi-data":                     "--data-dir names",
	} {
		_, err := ParseStore(text, "data")
		require.ErrorContains(t, err, says, text)
		require.NotContains(t, err.Error(), "s3")
		require.NotContains(t, err.Error(), "cret")
	}
}

// A place is a directory with a log in it, a file, or what will be one of them.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "copy")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for text, path := range map[string]string{
		dir:                            filepath.Join(dir, "events.db"),
		file:                           file,
		filepath.Join(dir, "new"):      filepath.Join(dir, "new", "events.db"),
		filepath.Join(dir, "other.db"): filepath.Join(dir, "other.db"),
	} {
		address, err := ParsePlace(text)
		require.NoError(t, err)
		require.Equal(t, path, address.Path)
	}
	_, err := ParsePlace(filepath.Join(file, "below"))
	require.ErrorContains(t, err, "not a directory")
	_, err = ParsePlace("")
	require.ErrorContains(t, err, "name a data directory")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	require.NoError(t, os.WriteFile(filepath.Join(dir, LogFile), nil, 0o600))
	one, err := ParsePlace(dir)
	require.NoError(t, err)
	two, err := ParsePlace(filepath.Join(link, "events.db"))
	require.NoError(t, err)
	require.Equal(t, one.Same, two.Same)
}
