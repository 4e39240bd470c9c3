//go:build !linux

package sandbox_test

import "encoding/json"

func escape(json.RawMessage) error { return nil }
