// Package payload looks at JSON payloads as evidence: what the values of one field have in
// common over many of them, where a field is, and how far two names mean the same.
package payload
