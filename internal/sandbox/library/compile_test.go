package library

import (
	"testing"
)

// BenchmarkCompile is how long a worker takes to compile a library that was an npm package, which it does once.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"dates", "schema", "decimal"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				prelude.Compile("npm/" + name + ".js")
			}
		})
	}
}
