// Package healer is called when something fails in a coding agent's session: a check, a job, a subtask, or the
// remains of an earlier session. It applies spells, each of which keeps whatever it takes away, and then has the
// check that failed run again. The outcome of a healing is decided in domain/session from the recorded checks, so
// neither a rule nor a model nor a spell can say that it was resolved.
//
//	h := healer.New(healer.Config{Commands: c, Launcher: launcher, Dir: dir, Host: host, Now: time.Now})
//	_, err := h.Invoke(ctx, "s1", healer.Call{Trigger: session.VerificationFailed, Check: check}, meta)
//	err = h.Run(ctx, "s1") // or by a loop: Healer is a reaction
package healer
