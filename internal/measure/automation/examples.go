package automation

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// firstDay is the first day of the other examples' answers. It is fixed, so that they are the same at any time.
var firstDay = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

var cities = []string{"Berlin", "Lisbon", "Oslo"}

// forecast is GET /forecast?city=Berlin: three days.
func forecast(w http.ResponseWriter, r *http.Request) {
	city := r.URL.Query().Get("city")
	at := slices.Index(cities, city)
	if at < 0 {
		answer(w, http.StatusNotFound, map[string]any{"message": "there is no such city", "cities": cities})
		return
	}
	days := make([]map[string]any, 3)
	for i := range days {
		days[i] = map[string]any{"day": firstDay.AddDate(0, 0, i).Format(time.DateOnly), "high": 9 + 3*at + i, "low": 2 + at, "rain": (5*at + 3*i) % 7}
	}
	answer(w, http.StatusOK, map[string]any{"city": city, "days": days})
}

// feed is GET /feed: an RSS feed of three entries.
func feed(w http.ResponseWriter, r *http.Request) {
	type item struct {
		Title string `xml:"title"`
		Link  string `xml:"link"`
		GUID  string `xml:"guid"`
		Date  string `xml:"pubDate"`
	}
	var made struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Title   string   `xml:"channel>title"`
		Link    string   `xml:"channel>link"`
		Items   []item   `xml:"channel>item"`
	}
	made.Version, made.Title, made.Link = "2.0", "News of the shop", "http://"+r.Host+"/feed"
	for i, title := range []string{"New bowls & plates", "Glue is back", "Closed on Monday"} {
		made.Items = append(made.Items, item{title, fmt.Sprintf("http://%s/news/%d", r.Host, i+1), fmt.Sprintf("news-%d", i+1), firstDay.AddDate(0, 0, i).Format(time.RFC1123Z)})
	}
	w.Header().Set("Content-Type", "application/rss+xml")
	_ = xml.NewEncoder(w).Encode(made) // who asked may be gone
}
