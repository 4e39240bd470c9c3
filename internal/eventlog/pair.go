package eventlog

import "context"

// PairAppender is a [Log] that makes two appends in the time of one.
type PairAppender interface {
	// AppendPair comes to the same as [Log.Append] for the first batch and then, once that is there, for the second: if
	// the first is refused, the second is not made. done is what became of those that are known to be there. Readers
	// find the first before the second, and may find both at once.
	//
	// After an error other than a refusal the log has none of them, the first, or both. The same call can be repeated.
	AppendPair(ctx context.Context, first, second Batch) (done []Appended, err error)
}

// AppendPair makes the appends of [PairAppender], with any log.
func AppendPair(ctx context.Context, log Log, first, second Batch) (done []Appended, err error) {
	if pairs, ok := log.(PairAppender); ok {
		return pairs.AppendPair(ctx, first, second)
	}
	if err := ValidatePair(first, second); err != nil { // before the first is there
		return nil, err
	}
	return AppendOneByOne(ctx, log, first, second)
}

// AppendOneByOne is what [PairAppender] has to come to.
func AppendOneByOne(ctx context.Context, log Log, batches ...Batch) (done []Appended, err error) {
	for _, batch := range batches {
		appended, err := log.Append(ctx, batch.Stream, batch.Expected, batch.Events)
		if err != nil {
			return done, err
		}
		done = append(done, appended)
	}
	return done, nil
}

// ValidatePair checks two appends as [Validate] checks one.
func ValidatePair(first, second Batch) error {
	if err := Validate(first.Stream, first.Expected, first.Events); err != nil {
		return err
	}
	return Validate(second.Stream, second.Expected, second.Events)
}
