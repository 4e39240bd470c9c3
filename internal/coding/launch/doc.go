// Package launch runs programs that outlive who started them: coding agents that work for hours, while the server that
// launched them may be killed, replaced or moved to a newer version. Each launch has a directory and a supervisor: a
// process of this same binary, in a session of its own, that starts the program in its own process group, holds it to
// its time and its output, ends what it left running, and writes down how it ended. Any life of the server finds all of
// that in the directory.
//
//	err := launcher.Start(ctx, directory, launch.Spec{Argv: argv, Dir: worktree, Timeout: time.Hour})
//	ended, err := launcher.Wait(ctx, directory) // in this life or a later one
//
// A directory stands for one launch: started again it goes on with the one that is there. A process is known by its id
// and the moment it began, so none that got the same id later is ever ended in its place.
package launch
