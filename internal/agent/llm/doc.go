// Package llm asks language models, at any address that speaks OpenAI's Chat Completions.
package llm
