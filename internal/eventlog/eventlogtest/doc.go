// Package eventlogtest is what every backend of the event log passes: a suite of its promises, and
// histories of concurrent calls that must be linearizable.
//
//	func TestMain(m *testing.M) {
//		eventlogtest.HistoryChild(open) // this test binary is also the process that is killed
//		os.Exit(m.Run())
//	}
//
//	func TestSuite(t *testing.T) {
//		eventlogtest.Run(t, eventlogtest.Abilities{Reopen: again, Second: again}, openNew)
//	}
//
//	func TestLinearizable(t *testing.T) {
//		eventlogtest.Linearizable(t, 10, log, another) // two logs that share what they store
//	}
//
//	func TestLinearizableUnderKills(t *testing.T) {
//		eventlogtest.LinearizableUnderKills(t, 10, where) // given to open, in two processes
//	}
//
// A history records the calls and answers of 8 clients with 100 calls each, on 4 streams that no other history uses,
// so that many can be recorded on one log. It is checked with porcupine against a model of one stream. An append
// without an answer may have happened at any time until the end; a read without one says nothing. The model knows no
// positions, so these are compared with the whole log afterwards: they grow, and are those that were acknowledged.
//
// When a history cannot be explained, the test prints how far it can, which calls do not follow, and the seed.
// KINTSUGI_SEED runs the same calls again; the machine decides anew how they overlap.
// KINTSUGI_CAMPAIGN multiplies the number of histories, of which without it a fifth are made. go test -artifacts keeps porcupine's picture.
//
// The suite and the histories have negative controls in their own tests: each case of the suite fails for
// at least one log that breaks its promise, and bugs planted in a log are found in 95 of 100
// histories or more.
package eventlogtest
