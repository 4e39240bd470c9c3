package readmodel

// NameOf is the name of the generation that a program with these projections reads, wherever it is kept.
func NameOf(projections []Projection) (string, error) {
	made, err := generationOf(projections)
	if err != nil {
		return "", err
	}
	return made.name(), nil
}
