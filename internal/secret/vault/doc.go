// Package vault keeps secrets that scripts may use and never see. A script holds a handle; the
// host asks the vault for the value when a request goes to a host that the secret is bound to.
//
// Each value is encrypted with a key of its own (AES-256-GCM), and that key with the master key, which is kept apart
// from the store. The hosts and the workflow of a secret are authenticated with it: a writer to the store cannot bind
// a secret to another host or workflow.
package vault
