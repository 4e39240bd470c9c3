package engine

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata"
)

var zones sync.Map // of *time.Location, by name

// Zone is the time zone of a name, UTC if it is empty.
func Zone(name string) (*time.Location, error) {
	if name == "" || name == "UTC" {
		return time.UTC, nil
	}
	if name == "Local" {
		return nil, fmt.Errorf("unknown time zone %q: use a name like Europe/Berlin", name)
	}
	if known, ok := zones.Load(name); ok {
		if location, ok := known.(*time.Location); ok {
			return location, nil
		}
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q: use a name like Europe/Berlin", name)
	}
	zones.Store(name, location)
	return location, nil
}
