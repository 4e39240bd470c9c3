package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// choice is a flag that takes one of a few words.
type choice[T ~string] struct {
	value *T
	words []T
}

// Choose declares a flag that takes one of a few words; the default is none of them.
func Choose[T ~string](flags *pflag.FlagSet, value *T, name, usage string, words ...T) {
	flags.Var(choice[T]{value, words}, name, usage+": "+listed(words))
}

// chooseP is [Choose] with a letter, and the first word for a default.
func chooseP[T ~string](flags *pflag.FlagSet, value *T, name, letter, usage string, words ...T) {
	*value = words[0]
	flags.VarP(choice[T]{value, words}, name, letter, usage+": "+listed(words))
}

// String implements [pflag.Value].
func (c choice[T]) String() string {
	if c.value == nil {
		return ""
	}
	return string(*c.value)
}

// Type implements [pflag.Value].
func (choice[T]) Type() string { return "string" }

// Set implements [pflag.Value].
func (c choice[T]) Set(text string) error {
	if !slices.Contains(c.words, T(text)) {
		return fmt.Errorf("choose %s", listed(c.words))
	}
	*c.value = T(text)
	return nil
}

// choices are the words.
func (c choice[T]) choices() []string {
	texts := make([]string, len(c.words))
	for i, word := range c.words {
		texts[i] = string(word)
	}
	return texts
}

func listed[T ~string](words []T) string {
	texts := choice[T]{words: words}.choices()
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}
