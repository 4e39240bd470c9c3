package coding_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// manyFiles is what a large repository has. With ten times as many, a benchmark takes minutes, most of them to make the repository and to remove it.
const manyFiles = 10_000

// sizes are the repositories in which a job is measured, by how many files they have besides.
var sizes = []int{0, manyFiles}

func (w *world) files(count int) {
	w.t.Helper()
	for i := range count {
		w.write(fmt.Sprintf("files/%03d/%d.txt", i/100, i), fmt.Sprintln(i))
	}
	if count > 0 {
		w.git("config", "gc.auto", "0") // else git tidies up in the background, and is at it when the directory is removed
		w.git("config", "maintenance.auto", "false")
		w.git("add", "-A")
		w.git("commit", "-qm", "many files")
		w.base = w.git("rev-parse", "HEAD")
	}
}

// BenchmarkBare is what a job is at least: a worktree, a program in it, what it left as a commit, and the merge.
func BenchmarkBare(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			w := setup(b)
			w.files(files)
			w.git("worktree", "add", "-q", "-b", "agents", filepath.Join(w.data, "merged"))
			for i := 0; b.Loop(); i++ {
				job := fmt.Sprintf("j%d", i)
				tree := filepath.Join(w.data, job)
				w.git("worktree", "add", "-q", "-b", job, tree)
				program := exec.Command("/bin/sh", "-c", "mkdir "+job+"; echo x >"+job+"/x")
				program.Dir = tree
				require.NoError(b, program.Run())
				w.git("-C", tree, "add", "-A")
				w.git("-C", tree, "commit", "-qm", job)
				w.git("-C", filepath.Join(w.data, "merged"), "merge", "-q", "--no-edit", job)
			}
		})
	}
}

// BenchmarkJobs is a plan of jobs, each of which does the same; the figure is for one of them. A few, many, and a few in a large repository.
func BenchmarkJobs(b *testing.B) {
	for _, of := range []struct{ jobs, parallel, files int }{{10, 8, 0}, {200, 16, 0}, {4, 4, manyFiles}} {
		b.Run(fmt.Sprintf("jobs=%d,files=%d", of.jobs, of.files), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := setup(b)
				w.files(of.files)
				definition := plan.Definition{Parallel: of.parallel}
				for i := range of.jobs {
					id := fmt.Sprintf("j%d", i)
					definition.Jobs = append(definition.Jobs, w.job(id, "mkdir "+id+"; echo x >"+id+"/x"))
				}
				w.start(definition)
				b.StartTimer()
				require.NoError(b, settle(b.Context(), w.data, w.log))
				state := w.state()
				require.Equal(b, plan.StatusCompleted, state.Status, "%v", state.Held())
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*of.jobs), "ms/job")
		})
	}
}
