// Package transpile makes of a script as people and models write it (ES2023, TypeScript, import and
// export, code at the top level) what the engine's parser reads and the engine runs right.
//
//	s, err := transpile.Read(code)
//	s.Tree // what the script says: for whoever checks, explains or edits it
//	s.Run  // what the engine runs, the same tree unless something had to be written otherwise
//
// Both trees speak of the script as written: each node stands where its text stands in it, so that
// errors, traces, checks and edits know of no other text. Nothing of what is made here is kept but in
// memory: it follows from the script and from [Version].
//
// # How types are taken away
//
// esbuild knows TypeScript, but says only what JavaScript it makes of it. Its tokens are found again
// among those of the script, guided by its source map; what is left over is types. This is proven afterwards:
// what esbuild makes of the script without its types must be what it made of it with
// them, to the byte. A script for which it is not is refused, never run.
package transpile
