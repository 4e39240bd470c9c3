package readmodel

import "hash/maphash"

// sketch remembers which texts were added to it, in some ten bits for each: what it does not know was never added; of
// what it knows one in fifty was not either. It is Bloom filters, each twice as large as the one before.
type sketch struct {
	layers []layer
}

type layer struct {
	bits []uint64
	free int // texts that may be added
}

const (
	firstTexts = 1 << 10 // of the first layer
	bitsOfText = 10
	bitsSet    = 5 // of a text
)

var sketchSeed = maphash.MakeSeed()

// add adds a text of a kind.
func (s *sketch) add(kind int, text string) {
	if s.has(kind, text) {
		return
	}
	if n := len(s.layers); n == 0 || s.layers[n-1].free == 0 {
		texts := firstTexts << n
		s.layers = append(s.layers, layer{bits: make([]uint64, texts*bitsOfText/64), free: texts})
	}
	last := &s.layers[len(s.layers)-1]
	last.free--
	at, step := placeOf(kind, text)
	for range bitsSet {
		bit := at % uint64(64*len(last.bits))
		last.bits[bit/64] |= 1 << (bit % 64)
		at += step
	}
}

func (s *sketch) has(kind int, text string) bool {
	if len(s.layers) == 0 {
		return false
	}
	begin, step := placeOf(kind, text)
	for _, one := range s.layers {
		at, set := begin, true
		for n := 0; n < bitsSet && set; n++ {
			bit := at % uint64(64*len(one.bits))
			set = one.bits[bit/64]&(1<<(bit%64)) != 0
			at += step
		}
		if set {
			return true
		}
	}
	return false
}

// placeOf is where the bits of a text begin, and how far they are apart.
func placeOf(kind int, text string) (at, step uint64) {
	hash := maphash.String(sketchSeed, text) + uint64(kind)*0x9e3779b97f4a7c15
	return hash, hash>>32 | 1
}
