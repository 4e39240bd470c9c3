// Package llmtest is a language model for tests: a server that speaks Chat Completions and says
// what it is told to, and keeps what it was asked.
//
//	server := llmtest.Serve(t,
//		llmtest.Call("fix", map[string]any{"code": mended, "comment": "…"}),
//		llmtest.Text("done"),
//	)
//	agent(server.Model())
//	require.Contains(t, server.Request(0).Text(), "TypeError")
package llmtest
