// Package failure is the vocabulary of failures that runs and workflows share.
package failure
