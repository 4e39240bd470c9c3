package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Server is a private PostgreSQL server with the superuser postgres, who needs no password.
type Server struct {
	programs string
	dir      string
	port     int
	owner    *syscall.Credential // nil for the user that runs the tests
	limit    int                 // of the size of a file, in units of 512 bytes; 0 for none
	guard    *exec.Cmd
	alive    io.Closer // the guard stops the server when this is closed
}

// Start starts a server of this test's own, with further lines of postgresql.conf. It is removed when the test ends.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(settings)
	return own(t, s, err)
}

// StartFull starts a server whose disk seems full to it once a table has 2 MiB: no file may be longer.
func StartFull(t testing.TB) *Server {
	t.Helper()
	s, err := launch(func(s *Server) error {
		s.limit = 2<<20/512 + 8 // half a page more: a write that was cut short is how PostgreSQL knows
		return s.prepare(nil)
	})
	return own(t, s, err)
}

// attempts to find a free port: between looking and listening another may take it.
const attempts = 5

// freePort is a port below those that systems assign by themselves, so that a server that is stopped for a while
// finds it free.
func freePort() (port int, err error) {
	for range attempts {
		port = 20_000 + rand.IntN(12_000)
		var free net.Listener
		if free, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, free.Close()
		}
	}
	return 0, err
}

func start(settings []string) (*Server, error) {
	return launch(func(s *Server) error { return s.prepare(settings) })
}

// launch starts a server whose files prepare makes.
func launch(prepare func(*Server) error) (*Server, error) {
	dir, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{programs: dir}
	if s.dir, err = os.MkdirTemp("", "kintsugi-pg-"); err != nil {
		return nil, err
	}
	if err := prepare(s); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	for range attempts {
		if err = s.listen(); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(err, s.remove())
}

// PID is the server's process, of which those that serve connections are children.
func (s *Server) PID(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Standby starts a copy of the server, as it is now, that waits in recovery to be promoted. Later writes of the
// server do not reach it.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	standby, err := launch(func(b *Server) error {
		if err := b.chooseOwner(); err != nil {
			return err
		}
		if err := b.run("pg_basebackup", "--host="+s.dir, "--port="+strconv.Itoa(s.port), "--username=postgres", "--checkpoint=fast", "--no-sync", "--pgdata="+b.data()); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.data(), "standby.signal"), nil, 0o600); err != nil {
			return err
		}
		return b.configure(nil)
	})
	return own(t, standby, err)
}

// Promote makes a standby a primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.Run(t, "pg_ctl", "--pgdata="+s.data(), "--wait", "promote")
}

// own hands a server to a test, at whose end it is removed.
func own(t testing.TB, s *Server, err error) *Server {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// prepare makes the cluster, and sees to it that it will be removed.
func (s *Server) prepare(settings []string) error {
	if err := s.chooseOwner(); err != nil {
		return err
	}
	args := []string{"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata=" + s.data()}
	if s.limit > 0 {
		args = append(args, "--wal-segsize=1") // or its files would not fit either
	}
	if err := s.run("initdb", args...); err != nil {
		return err
	}
	return s.configure(settings)
}

// chooseOwner gives the directory to a user that initdb and postgres accept: they refuse root.
func (s *Server) chooseOwner() error {
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("pgtest: as root, the server is run by the user postgres: %w; run tools/need-postgres.sh", err)
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return err
	}
	s.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, uid, gid)
}

// configure writes the settings and sees to it that the cluster will be removed.
func (s *Server) configure(settings []string) error {
	lines := append([]string{
		"listen_addresses = '127.0.0.1'",
		"unix_socket_directories = '" + s.dir + "'",
		"max_connections = 200",
		"fsync = on",
	}, settings...)
	conf, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := conf.WriteString("\n" + strings.Join(lines, "\n") + "\n"); err != nil {
		return err
	}
	if err := conf.Close(); err != nil {
		return err
	}
	return s.startGuard()
}

// startGuard starts a shell that waits for the end of this process: its standard input ends then.
func (s *Server) startGuard() error {
	const script = `cat > /dev/null; "$1/pg_ctl" --pgdata="$2/data" --mode=immediate stop > /dev/null 2>&1; rm -rf "$2"`
	s.guard = s.command("/bin/sh", "-c", script, "guard", s.programs, s.dir)
	s.guard.SysProcAttr.Setpgid = true // an interrupt from the keyboard is not for it
	alive, err := s.guard.StdinPipe()
	if err != nil {
		return err
	}
	s.alive = alive
	return s.guard.Start()
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir = s.dir
	command.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	return command
}

// run runs a program of the server.
func (s *Server) run(name string, args ...string) error {
	// Not by a pipe: the server inherits the output of pg_ctl, and would keep a pipe open.
	output, err := os.CreateTemp("", "kintsugi-pg-output-")
	if err != nil {
		return err
	}
	defer func() {
		_ = output.Close()
		_ = os.Remove(output.Name())
	}()
	path := filepath.Join(s.programs, name)
	command := s.command(path, args...)
	if s.limit > 0 && name == "pg_ctl" {
		command = s.command("/bin/sh", append([]string{"-c", `ulimit -f "$1"; shift; exec "$@"`, "limited", strconv.Itoa(s.limit), path}, args...)...)
	}
	command.Stdout, command.Stderr = output, output
	if err := command.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		log, _ := os.ReadFile(s.logFile())
		return fmt.Errorf("pgtest: %s: %w\n%s\n%s", name, err, text, log)
	}
	return nil
}

// listen starts the server on a free port.
func (s *Server) listen() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	s.port = port
	return s.pgCtlStart()
}

func (s *Server) pgCtlStart() error {
	return s.run("pg_ctl", "--pgdata="+s.data(), "--log="+s.logFile(), "--options=-p "+strconv.Itoa(s.port), "--timeout=60", "--wait", "start")
}

// Restart starts a server again that was stopped, on the same port.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.pgCtlStart(); err != nil {
		t.Fatal(err)
	}
}

// Stop stops the server, in one of the modes of pg_ctl: smart, fast, or immediate, which is a crash.
func (s *Server) Stop(t testing.TB, mode string) {
	t.Helper()
	if err := s.run("pg_ctl", "--pgdata="+s.data(), "--mode="+mode, "--timeout=60", "--wait", "stop"); err != nil {
		t.Fatal(err)
	}
}

// MakeRoom starts a server of [StartFull] again, with room.
func (s *Server) MakeRoom(t testing.TB) {
	t.Helper()
	s.Stop(t, "fast")
	s.limit = 0
	s.Restart(t)
}

// TakePort starts the server again on the port of another, which has stopped.
func (s *Server) TakePort(t testing.TB, other *Server) {
	t.Helper()
	s.Stop(t, "fast")
	s.port = other.port
	s.Restart(t)
}

// Run runs a program that comes with PostgreSQL (psql, pg_dump, pg_resetwal) as the server's user.
func (s *Server) Run(t testing.TB, name string, args ...string) {
	t.Helper()
	if err := s.run(name, args...); err != nil {
		t.Fatal(err)
	}
}

// Dir is a directory that the server's user may write to, removed with the server.
func (s *Server) Dir() string { return s.dir }

// Data is the data directory, for tools that work on it.
func (s *Server) Data() string { return s.data() }

func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// remove stops the server and removes everything.
func (s *Server) remove() error {
	if err := s.alive.Close(); err != nil {
		return err
	}
	if err := s.guard.Wait(); err != nil {
		return fmt.Errorf("pgtest: remove %s: %w", s.dir, err)
	}
	return nil
}

// Port is the port on 127.0.0.1.
func (s *Server) Port() int { return s.port }

// URL is the address of a database, for the superuser.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Database makes an empty database and gives its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "test_" + strconv.FormatInt(databases.Add(1), 10)
	s.Exec(t, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	return s.URL(name)
}

// Exec runs SQL statements in a database.
func (s *Server) Exec(t testing.TB, database, sql string) {
	t.Helper()
	Exec(t, s.URL(database), sql)
}

// Connect opens a connection that is closed when the test ends.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The server may have been stopped.
		_ = conn.Close(context.Background())
	})
	return conn
}

// Exec runs SQL statements in the database with an address.
func Exec(t testing.TB, url, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
