//go:build !linux

package process_test

import "encoding/json"

func escape(json.RawMessage) error { return nil }
