// Package crash kills processes that append to a log, again and again, and holds what is there
// afterwards against what was acknowledged.
//
//	func TestMain(m *testing.M) {
//		crash.Child(open) // this test binary is also the process that is killed
//		os.Exit(m.Run())
//	}
//
//	func TestKill(t *testing.T) {
//		crash.Run(t, crash.Config{Open: open, Where: path, Cycles: 300})
//	}
//
// In each cycle processes append from several goroutines to a few streams that they share. They
// announce each append and report each outcome over a pipe, which keeps what was written when its
// writer dies. At a random moment they are killed with SIGKILL. Then the log is opened and read:
//
//   - each acknowledged event is there, at the place and position it was acknowledged with;
//   - an append is there whole or not at all, and not at all if it was refused;
//   - each event was announced, has the content and the place it was announced with, and is there once;
//   - revisions have no gaps, positions grow.
//
// Last, each append whose outcome died with its process is repeated, as [eventlog.Log] tells callers
// to do: it gets the first result if it is there, is appended or refused if not.
package crash
