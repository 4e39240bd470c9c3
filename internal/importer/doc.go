// Package importer makes scripts of what people have elsewhere: n8n, Windmill, Apps Script and Node. It changes as little
// of their code as it can: what such code finds there is there as a library of the sandbox, and what is not is said,
// with its line.
package importer
