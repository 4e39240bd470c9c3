package sqlitelog

// WithPragma gives options of a log whose writer has one more setting.
func WithPragma(options Options, pragma string) Options {
	options.pragma = pragma
	return options
}

// WithCheckpoints gives options of a log whose write-ahead log is long with so many pages.
func WithCheckpoints(options Options, pages int64) Options {
	options.checkpointPages = pages
	return options
}
