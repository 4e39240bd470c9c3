package sqlitelog

// WithPragma gives options of a log whose writer has one more setting.
func WithPragma(options Options, pragma string) Options {
	options.pragma = pragma
	return options
}
