package run

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// Command asks a run for something. It is sealed.
type Command interface{ command() }

// Start takes an admitted run. The caller whose append succeeds executes the run.
type Start struct {
	Run        string
	Workflow   string
	Version    string // major.minor
	Trigger    string
	Input      json.RawMessage
	Seed       string
	Clock      time.Time
	Zone       string
	LeaseUntil time.Time
	Node       string
	Continues  string
	Forks      string
	ForkedAt   int
	Keys       string
	Overlap    bool
	HoldsBack  bool
}

// RecordCall journals a call before it goes out.
type RecordCall struct {
	Seq    int // the one after the newest call's, from 1
	Tool   string
	Args   json.RawMessage // a JSON array
	Effect string          // read or write
	Key    string          // of a write
	From   string          // the run whose journal answers; empty for a live call
}

// RecordReturn journals the answer to a call. A large result becomes several events.
type RecordReturn struct {
	Seq    int
	Result json.RawMessage
	Error  *CallError
	MS     int64
	Hosts  []string // where redirects sent the call on to
}

// RecordAnswered journals a call that was answered, together with its answer.
type RecordAnswered struct {
	Call   RecordCall
	Return RecordReturn // its Seq is the call's
}

// BeginAgain has the script begin again. Calls that are to be kept have returned.
type BeginAgain RunBegunAgain

// WriteLog adds lines to the log. Many lines become several events.
type WriteLog struct{ Lines []LogLine }

// End closes the stream: with an output, or with a failure. Local that would not fit is dropped.
type End struct {
	Output  json.RawMessage
	Failure *failure.Failure
	Usage   Usage
	Local   *Local

	Suspicion *Suspicion
}

// Cancel closes the stream of a run that has not ended, also of one that has not started: whoever executes it is told by their next
// append, and a write is appended before it goes out.
type Cancel struct {
	Run      string
	Workflow string
	Reason   string
}

// ExtendLease is the holder's heartbeat; with a time that has come it gives the run away.
type ExtendLease struct{ Until time.Time }

// Resume takes a run over whose holder gave no sign of life until its lease lapsed.
type Resume struct {
	Node       string
	LeaseUntil time.Time
	// Alone says that no other node is at work, so that a lease of an earlier life means nothing.
	Alone bool
}

// DelayRun has the run wait, because the machine could not execute it. It is tried again without end, less and less often.
type DelayRun struct{ Problem string }

// DoubtEffect stops the run at a write that was called and never returned.
type DoubtEffect struct {
	Seq       int
	NotBefore time.Time
	// LookUpAt is when the other side can first be asked, not before NotBefore; zero for never.
	LookUpAt time.Time
	Status   int // of an answer that does not say whether it happened, also of one that the script could not read
}

// LookUpEffect says what the other side answered about a write in doubt. A clear answer ends the doubt.
type LookUpEffect struct {
	Seq    int
	Found  string          // happened, did_not, unknown
	Result json.RawMessage // of one that happened
	Detail string          // what the finding rests on
}

// ResolveEffect says what became of a write in doubt.
type ResolveEffect struct {
	Seq    int
	How    string          // happened, did_not, skip
	Result json.RawMessage // of one that happened: what the call answers; default null
}

// AwaitAnswer stops the run until a person has answered.
type AwaitAnswer struct {
	Seq      int
	Question string
	Options  []string
	Timeout  time.Duration // 0 for none
	Default  json.RawMessage
}

// GiveAnswer answers the question that the run waits for.
type GiveAnswer struct {
	Seq    int // of the call that asked it; 0 for whichever waits now
	Answer string
}

// TimeOutAnswer goes on without an answer when its time has passed.
type TimeOutAnswer struct{}

func (Start) command()          {}
func (AwaitAnswer) command()    {}
func (GiveAnswer) command()     {}
func (TimeOutAnswer) command()  {}
func (RecordCall) command()     {}
func (RecordReturn) command()   {}
func (RecordAnswered) command() {}
func (BeginAgain) command()     {}
func (WriteLog) command()       {}
func (End) command()            {}
func (Cancel) command()         {}
func (ExtendLease) command()    {}
func (Resume) command()         {}
func (DelayRun) command()       {}
func (DoubtEffect) command()    {}
func (LookUpEffect) command()   {}
func (ResolveEffect) command()  {}
