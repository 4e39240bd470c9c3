// Package egress says where a script may go: the world around it, the hosts that a version may
// reach, which of them a person has named, and which a recorded run has had answers from.
package egress
