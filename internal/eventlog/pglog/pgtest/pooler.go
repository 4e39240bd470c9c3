package pgtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Pooler is a PgBouncer in transaction mode in front of a server.
type Pooler struct {
	port int
}

var errNoPooler = errors.New("pgtest: PgBouncer is missing; run tools/need-postgres.sh, which installs it or says how")

// Pooler starts a PgBouncer with so few connections to the server for each database that clients
// share them all the time. It ends with the test.
func (s *Server) Pooler(t testing.TB) *Pooler {
	t.Helper()
	program, err := findPooler()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(s.dir, "pooler-")
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	p := &Pooler{port: port}
	config := filepath.Join(dir, "pgbouncer.ini")
	lines := []string{
		"[databases]",
		fmt.Sprintf("* = host=127.0.0.1 port=%d user=postgres", s.port),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		"listen_port = " + strconv.Itoa(p.port),
		"unix_socket_dir =",
		"auth_type = any",
		"pool_mode = transaction",
		"default_pool_size = 4",
		"max_client_conn = 500",
	}
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.owner != nil { // who runs it, and removes it
		for _, path := range []string{dir, config} {
			if err := os.Chown(path, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The shell ends it when this process ends, in whatever way.
	command := s.command("/bin/sh", "-c", `"$1" -q "$2" < /dev/null > /dev/null 2>&1 & cat > /dev/null; kill $!; wait`, "guard", program, config)
	alive, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := alive.Close(); err != nil {
			t.Error(err)
		}
		_ = command.Wait() // the status is that of a program that was killed
	})
	p.await(t)
	return p
}

func findPooler() (string, error) {
	for _, place := range []string{"/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"} {
		if _, err := os.Stat(place); err == nil {
			return place, nil
		}
	}
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		return "", errNoPooler
	}
	return path, nil
}

// await waits until it listens.
func (p *Pooler) await(t testing.TB) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-ticker.C {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(p.port))
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// URL is the address, through the pooler, of a database with the address url.
func (p *Pooler) URL(url string) string {
	before, database, _ := strings.Cut(strings.TrimPrefix(url, "postgres://"), "/")
	user, _, _ := strings.Cut(before, "@")
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s", user, p.port, database)
}
