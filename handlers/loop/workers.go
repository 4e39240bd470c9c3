package loop

import "sync"

// workers are goroutines that do one piece of work after the other. A new one begins with a small stack, which is copied again and
// again on the way down into a database.
type workers struct {
	jobs  chan func()
	group sync.WaitGroup
}

// do has a job done by a worker that has nothing to do, or by a new one.
func (w *workers) do(job func()) {
	select {
	case w.jobs <- job:
	default:
		w.group.Go(func() {
			job()
			for job := range w.jobs {
				job()
			}
		})
	}
}

// end returns when all jobs are done. No job is done after it.
func (w *workers) end() {
	close(w.jobs)
	w.group.Wait()
}
