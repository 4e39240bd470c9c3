// Package coding has coding agents work through plans: each job in a worktree and a branch of its own, its changes
// compared with what it may touch, its work merged one after the other and verified each time. The plan's own stream says what
// is due; what a step did is found again in git and in the directory of its launch, so that a server
// that was killed goes on where it was.
package coding
