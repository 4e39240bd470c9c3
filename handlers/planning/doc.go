// Package planning works on what people ask for: a model talks with the person and saves scripts.
package planning
