// Package engine runs one script in goja: it compiles, makes the globals and the standard classes, answers from the journal,
// asks the host, keeps virtual time and describes errors. Globals and libraries are declared to it by other packages
// ([Declare], [DeclareLibrary]); package process links them all.
package engine
