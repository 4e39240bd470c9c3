package account

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// StreamPrefix begins the name of each owner's stream, and of no other.
const StreamPrefix = "account-"

// SubjectPrefix begins the subject of its events: the same name follows.
const SubjectPrefix = "account:"

// Stream is the stream of an owner. A character that no name of a stream may have stands there as %20.
func Stream(owner string) string { return StreamPrefix + escaped(owner) }

// Subject is what the events of an owner's stream belong to: no workflow.
func Subject(owner string) string { return SubjectPrefix + escaped(owner) }

func escaped(owner string) string {
	var name strings.Builder
	for _, r := range owner {
		if r != '%' && !unicode.IsSpace(r) && !unicode.IsControl(r) {
			name.WriteRune(r)
			continue
		}
		for _, b := range []byte(string(r)) {
			fmt.Fprintf(&name, "%%%02X", b)
		}
	}
	return name.String()
}

// Owner is whose stream it is.
func Owner(stream string) string {
	name := strings.TrimPrefix(stream, StreamPrefix)
	var owner strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if b, err := strconv.ParseUint(name[i+1:i+3], 16, 8); err == nil {
				owner.WriteByte(byte(b))
				i += 2
				continue
			}
		}
		owner.WriteByte(name[i])
	}
	return owner.String()
}
