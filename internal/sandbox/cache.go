package sandbox

import "sync"

// scripts holds what was compiled last. Compiled programs are immutable and shared by
// all runtimes of the process.
var scripts = scriptCache{limit: 64}

// scriptCache keeps the scripts that were used last.
type scriptCache struct {
	limit   int
	mu      sync.Mutex
	entries map[string]*cachedScript
	used    int
}

type cachedScript struct {
	script *script
	used   int
}

func (c *scriptCache) get(code string) (*script, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[code]
	if !ok {
		return nil, false
	}
	c.used++
	entry.used = c.used
	return entry.script, true
}

func (c *scriptCache) put(code string, s *script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]*cachedScript{}
	}
	if len(c.entries) >= c.limit {
		oldest := ""
		for key, entry := range c.entries {
			if oldest == "" || entry.used < c.entries[oldest].used {
				oldest = key
			}
		}
		delete(c.entries, oldest)
	}
	c.used++
	c.entries[code] = &cachedScript{script: s, used: c.used}
}
