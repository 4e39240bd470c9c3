// Package library has the modules that scripts import by name: our own, those made of npm packages, and those that stand for
// what Node, n8n, Windmill and Apps Script have.
package library
