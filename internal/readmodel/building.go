package readmodel

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// oldKept is how many generations of other versions of the program are kept: an old binary can be started again at once.
const oldKept = 2

// saidEvery is how often a logger is told how far a build is.
const saidEvery = 5 * time.Second

// BuildingError says that views are being built, and cannot be read yet: of a part nobody knows what is missing.
type BuildingError struct{ Progress }

// Error implements error.
func (e *BuildingError) Error() string {
	return "the views are being built and cannot be read yet: " + e.Progress.String()
}

// Progress is how far a build is.
type Progress struct {
	Events int64         `json:"events"`            // that this process has applied
	Rate   float64       `json:"events_per_second"` // of this process
	Left   time.Duration `json:"-"`                 // about; 0 if nobody knows
	Done   float64       `json:"done"`              // about, of 1
	Since  time.Time     `json:"since"`             // when this process began

}

// String is the progress in a line.
func (p Progress) String() string {
	text := fmt.Sprintf("%d events, %.0f/s", p.Events, p.Rate)
	if p.Left > 0 {
		text += fmt.Sprintf(", %.0f %%, about %s left", 100*p.Done, p.Left.Round(time.Second))
	}
	return text
}

// building follows a build of this process.
type building struct {
	mu     sync.Mutex
	since  time.Time
	from   eventlog.Position // where it began
	whole  bool              // that is the beginning of the log
	head   eventlog.Position // of the log then
	events int64
	at     eventlog.Position
	said   time.Time
}

func (b *building) begin(from, head eventlog.Position, whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() {
		b.whole = whole
		b.since, b.from, b.at, b.head, b.said = time.Now(), from, from, head, time.Now()
	}
}

func (b *building) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = time.Time{}
	b.events = 0
}

// after says that everything is read of a log that had an event already when the build began.
func (b *building) after(at eventlog.Position) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.since.IsZero() && b.whole && at <= b.head
}

// applied counts, and says whether it is time to tell.
func (b *building) applied(events int, at eventlog.Position) (tell bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() {
		return false
	}
	b.events, b.at = b.events+int64(events), at
	if tell = time.Since(b.said) > saidEvery; tell {
		b.said = time.Now()
	}
	return tell
}

func (b *building) progress() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := Progress{Events: b.events, Since: b.since}
	took := time.Since(b.since)
	if b.since.IsZero() || took <= 0 {
		return p
	}
	p.Rate = float64(b.events) / took.Seconds()
	// Positions rise with events, if not evenly on every backend.
	from, errFrom := b.from.Number()
	at, errAt := b.at.Number()
	head, errHead := b.head.Number()
	if errFrom == nil && errAt == nil && errHead == nil && at > from && head > from {
		p.Done = min(float64(at-from)/float64(head-from), 1)
		p.Left = time.Duration(float64(took) * (1 - p.Done) / p.Done)
	}
	return p
}

// Live says whether the generation can be read, and how far the build is if it cannot.
func (s *Store) Live() (bool, Progress) { return s.live.Load(), s.building.progress() }

// begun sees at the beginning of a pass whether the generation is still to be built.
func (s *Store) begun(ctx context.Context, at eventlog.Checkpoint) error {
	live, err := s.engine.live(ctx)
	if err != nil {
		return ofViews(err)
	}
	s.live.Store(live)
	if live {
		return nil
	}
	head, err := s.log.Head(ctx)
	if err != nil {
		return fmt.Errorf("readmodel: %w", err)
	}
	from := at.Position
	if from == eventlog.Start { // the numbers of a log may begin anywhere
		from = s.first
	}
	s.building.begin(from, head, at.Position == eventlog.Start)
	return nil
}

// ended says that everything is applied that there was: from now on the generation is read, and what is too old is dropped.
func (s *Store) ended(ctx context.Context) error {
	if s.live.Load() {
		return nil
	}
	if err := s.engine.goLive(ctx); err != nil {
		return ofViews(err)
	}
	s.live.Store(true)
	if p := s.building.progress(); time.Since(p.Since) > saidEvery {
		s.logger.Info("views are built", "views", s.Path(), "events", p.Events, "took", time.Since(p.Since).Round(time.Millisecond))
	}
	s.building.end()
	s.pruned(ctx, oldKept)
	return nil
}

// pruned drops old generations, but for so many.
func (s *Store) pruned(ctx context.Context, keep int) {
	dropped, err := s.generations.prune(ctx, keep)
	for _, one := range dropped {
		s.logger.Info("views of an older version of the program are dropped", "views", one)
	}
	if err != nil {
		s.logger.Warn("views of older versions of the program could not be dropped", "error", err)
	}
}

// Serve says that this process answers people from the generation, until it is closed: who only builds it may end.
func (s *Store) Serve(ctx context.Context) error { return s.engine.serve(ctx) }

// Served says whether another process does.
func (s *Store) Served(ctx context.Context) (bool, error) { return s.engine.served(ctx) }

// LagError says that views did not come to a position in time.
type LagError struct {
	Views  string
	At     eventlog.Position // where they are
	Wanted eventlog.Position
	Behind int64     // events that are missing, as far as they were counted
	Since  time.Time // when the first of them was recorded; zero if nobody knows
	Err    error     // why the wait ended
}

// Error implements error.
func (e *LagError) Error() string {
	text := fmt.Sprintf("readmodel: wait for position %q: %s is at %q", e.Wanted, e.Views, e.At)
	if e.Behind > 0 {
		text += fmt.Sprintf(", %d events behind", e.Behind)
	}
	if !e.Since.IsZero() {
		text += ", since " + e.Since.UTC().Format(time.RFC3339)
	}
	return text + ": " + e.Err.Error()
}

// Unwrap gives why the wait ended.
func (e *LagError) Unwrap() error { return e.Err }

// How long, and how far, it is looked by how much views lag that somebody waited for in vain.
const (
	lagLook    = time.Second
	lagCounted = 10_000
)

// lag is the error of who waited for a position in vain.
func (s *Store) lag(ctx context.Context, wanted eventlog.Position, cause error) error {
	lag := &LagError{Views: s.Path(), At: s.Position(), Wanted: wanted, Err: cause}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lagLook)
	defer stop()
	for record, err := range s.log.All(ctx, lag.At, eventlog.Everything) {
		if err != nil || record.Position > wanted || lag.Behind == lagCounted {
			break
		}
		if lag.Behind++; lag.Behind == 1 {
			lag.Since = record.RecordedAt
		}
	}
	return lag
}
