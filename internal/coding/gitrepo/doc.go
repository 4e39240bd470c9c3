// Package gitrepo drives the real git program in a repository where programs are at work that nobody trusts: coding
// agents. They can write its configuration, its hooks and its attributes, and git would run the programs that those
// name with the rights of the next caller. So a [Repo] sees the repository through a view of its own: the same
// objects, branches and worktrees, with a configuration that is made anew and has no hooks, filters or drivers.
//
//	repo, err := gitrepo.Open(ctx, "/src/shop", viewDirectory)
//	tree, err := repo.AddWorktree(ctx, path, "agents/prices", base)
//	head, err := tree.Snapshot(ctx, gitrepo.Commit{Message: "prices", At: now}) // all that is there, committed or not
//	changes, err := repo.Changes(ctx, base, head)
//
// Nothing is fetched or pushed, no editor or prompt opens, and the environment of the caller is not handed on.
package gitrepo
