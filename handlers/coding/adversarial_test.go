package coding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
)

// Rule: however an agent hides where it reached, with names that it may touch, the job is held with every file.
func TestAgentsThatHideWhereTheyReached(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("swap/file", "f\n")
	w.write("swap/dir/inner", "i\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "swap")
	w.base = w.git("rev-parse", "HEAD")
	touching := func(patterns ...string) func(*plan.Job) { return func(j *plan.Job) { j.Touch = patterns } }
	w.start(plan.Definition{Parallel: 1, Wall: plan.Wall{Off: true}, Jobs: []plan.Job{
		w.job("case", "git mv -f README.md readme.md", touching("README.md")),
		w.job("swap", "mv swap/file keep; mv swap/dir swap/file; mv keep swap/dir", touching("swap/file", "swap/dir/**")),
		w.job("module", `git init -q module/inner
			git -C module/inner -c user.name=a -c user.email=a@b commit -qm x --allow-empty
			git submodule --quiet add ./module/inner module/inner`, touching("module/**", ".gitmodules")),
		w.job("link", "mkdir link; ln -s .. link/up; ln -s ../../../../../etc/passwd link/out", touching("link/**")),
		w.job("many", "mkdir many beside; cd beside; seq 10000 | xargs touch", touching("many/**")),
	}})
	state := w.settle()
	for id, want := range map[string][]string{
		"case":   {"readme.md: it is not in the touch set"},
		"swap":   {"swap/dir: it is not in the touch set", "swap/file/inner: it is not in the touch set"},
		"module": {"module/inner: it is a repository inside the repository: what is in it is in no commit of the job", ".git/config: it is the repository's own: settings, hooks and attributes are for people"},
		"link":   {"link/out: it is a symlink that leads out of the repository, to ../../../../../etc/passwd"},
	} {
		held := state.Jobs[id].Held
		require.NotNil(t, held, id)
		require.Equal(t, plan.KindTouchset, held.Kind, id)
		var got []string
		for _, one := range held.Violations {
			got = append(got, one.Path+": "+one.Why)
		}
		require.ElementsMatch(t, want, got, id)
	}
	many := state.Jobs["many"].Held
	require.Equal(t, 10_000, many.Count)
	require.Len(t, many.Violations, 200, "the rest is counted")
	require.Equal(t, w.base, w.git("rev-parse", "agents"))
}
