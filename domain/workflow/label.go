package workflow

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Labels are what people tell workflows and runs apart by, as team=billing. A run has those of its workflow, those of the run that it goes on
// with, and its own.
type Labels map[string]string

// The bounds of labels: how many a workflow, and a run by itself, may have, and how long they may be, in characters.
const (
	MaxLabels       = 16
	MaxLabelKey     = 63
	MaxLabelValue   = 200
	whatLabelsAre   = "a label is key=value: up to 63 letters, digits, dots, slashes, hyphens and underscores, and up to 200 characters without line breaks"
	labelKeyPattern = `^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$`
)

var labelKey = regexp.MustCompile(labelKeyPattern)

// ParseLabels reads labels from texts like team=billing.
func ParseLabels(texts []string) (Labels, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	labels := Labels{}
	for _, text := range texts {
		key, value, is := strings.Cut(text, "=")
		if !is {
			return nil, invalid("%q is no label: %s", text, whatLabelsAre)
		}
		labels[key] = value
	}
	return labels, labels.Validate()
}

// Validate refuses labels that are none, and too many.
func (l Labels) Validate() error {
	if len(l) > MaxLabels {
		return invalid("there are %d labels, and %d are allowed", len(l), MaxLabels)
	}
	for _, key := range slices.Sorted(maps.Keys(l)) {
		value := l[key]
		if !labelKey.MatchString(key) || !utf8.ValidString(value) || utf8.RuneCountInString(value) > MaxLabelValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fault.New(fault.Invalid, "%q is no label: %s", key+"="+value, whatLabelsAre)
		}
	}
	return nil
}

// Texts are the labels as people write them, in the order of their keys.
func (l Labels) Texts() []string {
	texts := make([]string, 0, len(l))
	for _, key := range slices.Sorted(maps.Keys(l)) {
		texts = append(texts, key+"="+l[key])
	}
	return texts
}

// with are the labels with others, which count where both have a key.
func (l Labels) with(others ...Labels) Labels {
	var all Labels
	for _, more := range append([]Labels{l}, others...) {
		for key, value := range more {
			if all == nil {
				all = Labels{}
			}
			all[key] = value
		}
	}
	return all
}
