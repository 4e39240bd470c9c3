package terminal

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"github.com/google/uuid"
)

// The output formats.
const (
	FormatText  = "text"
	FormatJSON  = "json"
	FormatJSONL = "jsonl"
)

// Show prints a result: as text by the given function, or as JSON. In jsonl a list is one
// line for each element.
func (cli *CLI) Show(value any, text func(w io.Writer)) error {
	encoder := json.NewEncoder(cli.Out)
	encoder.SetEscapeHTML(false)
	switch cli.Format {
	case FormatJSON:
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	case FormatJSONL:
		list := reflect.ValueOf(value)
		if list.Kind() != reflect.Slice {
			return encoder.Encode(value)
		}
		for i := range list.Len() {
			if err := encoder.Encode(list.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	}
	text(cli.Out)
	return nil
}

// BriefActor is who did something, a task's id cut to what lists show of it.
func BriefActor(actor string) string {
	kind, of, found := strings.Cut(actor, ":")
	if found && uuid.Validate(of) == nil {
		return kind + ":" + Ending(of, LeastOfID)
	}
	return actor
}
