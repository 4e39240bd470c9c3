package llm

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"sync"
)

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // input that the provider still had; 0 or absent: as Input
	Output float64 `json:"output"`
}

// Cost is what a turn cost, in US dollars.
func (p Price) Cost(usage Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	return (float64(usage.Input-usage.Cached)*p.Input + float64(usage.Cached)*cached + float64(usage.Output)*p.Output) / 1e6
}

// Prices are prices by model.
type Prices map[string]Price

//go:embed prices.json
var defaultPrices []byte

// DefaultPrices are the list prices of common models when this version was made. Providers change theirs: put the
// ones that matter to you into a file of your own.
var DefaultPrices = sync.OnceValue(func() Prices {
	prices, err := ParsePrices(defaultPrices)
	if err != nil {
		panic(err) // a fault of the program: the table is part of it
	}
	return prices
})

// ParsePrices reads a table: {"model": {"input": 1.25, "cached": 0.125, "output": 10}}, in US
// dollars for a million tokens.
func ParsePrices(text []byte) (Prices, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var prices Prices
	if err := decoder.Decode(&prices); err != nil {
		return nil, fmt.Errorf("llm: prices: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("llm: prices: something follows the table")
	}
	if len(prices) == 0 {
		return nil, errors.New("llm: prices: the table is empty")
	}
	for model, price := range prices {
		for _, usd := range []float64{price.Input, price.Cached, price.Output} {
			if usd < 0 || math.IsInf(usd, 0) {
				return nil, fmt.Errorf("llm: prices: model %s: a price below zero", model)
			}
		}
	}
	return prices, nil
}

// With is the table with another one over it.
func (p Prices) With(others Prices) Prices {
	all := maps.Clone(p)
	maps.Copy(all, others)
	return all
}

// Of is the price of a model: by its name, by its name without the vendor before it
// ("openai/gpt-5"), or by the longest name in the table that it continues with a date or a
// release ("gpt-5-2025-08-07").
func (p Prices) Of(model string) (Price, bool) {
	for {
		if price, known := p[model]; known {
			return price, true
		}
		if price, known := p.dated(model); known {
			return price, true
		}
		_, rest, found := strings.Cut(model, "/")
		if !found {
			return Price{}, false
		}
		model = rest
	}
}

func (p Prices) dated(model string) (Price, bool) {
	best := ""
	for name := range p {
		suffix, is := strings.CutPrefix(model, name+"-")
		if is && len(name) > len(best) && (suffix == "latest" || suffix[:min(len(suffix), 1)] >= "0" && suffix[:min(len(suffix), 1)] <= "9") {
			best = name
		}
	}
	price, known := p[best]
	return price, known && best != ""
}

// of is the price of the first of the models that has one.
func (p Prices) of(models ...string) (Price, bool) {
	for _, model := range models {
		if price, known := p.Of(model); known {
			return price, true
		}
	}
	return Price{}, false
}
