// Package webapi has the globals of the standard web API and of Node, in Go and in the JavaScript of prelude.
package webapi
