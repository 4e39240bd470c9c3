package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header of a notice that carries its signature.
const SignatureHeader = "Stripe-Signature"

// tolerance is how old a notice may be, or how far ahead the provider's clock.
const tolerance = 5 * time.Minute

// ErrSignature says that a notice is not from the provider, or is one of long ago.
var ErrSignature = errors.New("payment: the notice is not signed by the provider now")

// verify checks the signature of a notice, byte for byte as it came: a time, and the HMAC of time and body under a
// secret that only the provider has. While a secret is exchanged there are several, of which one has to hold.
func verify(body []byte, header, secret string, now time.Time) error {
	if secret == "" { // anybody can sign with that
		return ErrSignature
	}
	at := ""
	var signatures []string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			at = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return ErrSignature
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return ErrSignature
	}
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(at + "."))
	sum.Write(body)
	want := sum.Sum(nil)
	for _, one := range signatures {
		if got, err := hex.DecodeString(one); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
