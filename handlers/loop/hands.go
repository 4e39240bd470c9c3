package loop

import "sync"

// hands are goroutines for one piece of work after the other. A new one begins with a small stack, which is copied again and
// again on the way down into a database.
type hands struct {
	jobs  chan func()
	group sync.WaitGroup
}

// do has a job done by a hand that has nothing to do, or by a new one.
func (h *hands) do(job func()) {
	select {
	case h.jobs <- job:
	default:
		h.group.Go(func() {
			job()
			for job := range h.jobs {
				job()
			}
		})
	}
}

// end returns when all jobs are done. There is none after it.
func (h *hands) end() {
	close(h.jobs)
	h.group.Wait()
}
