package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// certify is the certificate of a judgement: the hex SHA-256 of a document over everything that was judged and
// everything that was found. Anybody with the same subject and candidate can judge again and must come to the same
// certificate; a change of a recorded run, of the script or of the findings gives another.
func (g *Gate) certify(candidate string, j *Judgement) string {
	findings := *j
	// These follow from the rest of the document.
	findings.Certificate, findings.Unverified, findings.Widens = "", nil, nil
	text, err := marshal(struct {
		Subject   string    `json:"subject"`
		Candidate string    `json:"candidate"`
		Findings  Judgement `json:"findings"`
	}{g.digest, sum([]byte(candidate)), findings})
	if err != nil {
		// Every raw value in a judgement came out of the sandbox as JSON.
		panic("gate: certify: " + err.Error())
	}
	return sum([]byte(sandbox.CanonicalValue(text)))
}

func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// digest identifies the subject: the code, the runs in any layout, and what was allowed.
func (s *Subject) digest() string {
	h := sha256.New()
	part := func(text string) {
		length := sha256.Sum256([]byte(text))
		h.Write(length[:])
	}
	part(s.Code)
	part(s.Version)
	part(s.Zone)
	part(s.FirstCode)
	for _, host := range s.Allowed {
		part("allowed " + host)
	}
	digestRun(h, &s.Failed)
	for i := range s.Successes {
		digestRun(h, &s.Successes[i])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digestRun(h hash.Hash, run *Run) {
	text, err := json.Marshal(run)
	if err != nil {
		text = []byte(run.ID) // a raw value that is not JSON: such a run cannot be replayed either
	}
	digest := sha256.Sum256([]byte(sandbox.CanonicalValue(text)))
	h.Write(digest[:])
}
