package repair
import ("testing")
func BenchmarkZ007(b *testing.B) {
	e := loadBundle(b, "../../testdata/cases/007-stripe-billing-renamed/bundle.json")
	for len(e.Successes) < 20 { r := e.Successes[len(e.Successes)%4]; e.Successes = append(e.Successes, r) }
	for b.Loop() { r := mend(b, e); if r.Best == nil { b.Fatal() } }
}
