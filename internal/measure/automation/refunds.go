package automation

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync/atomic"
	"time"
)

// Refunds is a small service of the kind that scripts depend on: GET /refunds?day=2026-03-01 lists
// the refunds of a day, the same ones whenever it is asked. POST /change gives amounts another name
// from then on, as services do, and once more takes that back. It keeps nothing else. GET /forecast and GET /feed
// are for the other examples.
type Refunds struct{ renamed atomic.Bool }

var _ http.Handler = (*Refunds)(nil)

// Shape is what [Refunds] answers to a change: the name that amounts have from then on.
type Shape struct {
	Amount string `json:"amount"`
}

// ServeHTTP implements [http.Handler].
func (s *Refunds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /refunds":
		day, err := time.Parse(time.DateOnly, r.URL.Query().Get("day"))
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"message": "day is a date, like 2026-03-01"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"day": day.Format(time.DateOnly), "refunds": refundsOf(day, s.amount())})
	case "GET /forecast":
		forecast(w, r)
	case "GET /feed":
		feed(w, r)
	case "POST /change":
		s.renamed.Store(!s.renamed.Load())
		answer(w, http.StatusOK, Shape{s.amount()})
	default:
		answer(w, http.StatusNotFound, map[string]string{"message": "there is GET /refunds?day=2026-03-01, /forecast?city=Berlin, /feed, and POST /change"})
	}
}

func (s *Refunds) amount() string {
	if s.renamed.Load() {
		return "refund_amount"
	}
	return "amount"
}

// refundsOf makes up the refunds of a day: from two to five.
func refundsOf(day time.Time, amount string) []map[string]any {
	reasons := []string{"damaged", "too late", "wrong size", "changed mind"}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(day.Format(time.DateOnly)))
	chance := hash.Sum32()
	list := make([]map[string]any, 2+chance%4)
	for i := range list {
		chance = chance*1664525 + 1013904223 // the next number of a linear congruential generator
		list[i] = map[string]any{
			"id":     fmt.Sprintf("rf-%s-%d", day.Format("0102"), i+1),
			"order":  fmt.Sprintf("A-%d", 1000+chance>>8%9000),
			amount:   map[string]any{"value": 495 + chance>>12%9000, "currency": "EUR"},
			"reason": reasons[chance>>16%uint32(len(reasons))],
		}
	}
	return list
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who asked may be gone
}
