package coding_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// BenchmarkBare is what a job is at least: a worktree, a program in it, what it left as a commit, and the merge.
func BenchmarkBare(b *testing.B) {
	w := setup(b)
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
}

// BenchmarkJobs is a plan of ten jobs, eight at once, each of which does the same; the figure is for one of them.
func BenchmarkJobs(b *testing.B) {
	const jobs = 10
	for b.Loop() {
		b.StopTimer()
		w := setup(b)
		definition := plan.Definition{Parallel: 8}
		for i := range jobs {
			id := fmt.Sprintf("j%d", i)
			definition.Jobs = append(definition.Jobs, w.job(id, "mkdir "+id+"; echo x >"+id+"/x"))
		}
		w.start(definition)
		b.StartTimer()
		state := w.settle()
		require.Equal(b, plan.StatusCompleted, state.Status, "%v", state.Held())
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*jobs), "ms/job")
}
