// Package thread is what an agent said and tried while it worked on one task.
//
//	events, err := thread.Decide(state, thread.AppendMessage{Role: "assistant", Text: "…"}, now)
package thread
