package sqlitedb

import (
	"errors"
	"syscall"

	"zombiezen.com/go/sqlite"
)

// IsFull reports whether an error means that the disk (or a quota, or a size limit of the file) has no room.
func IsFull(err error) bool {
	if err == nil {
		return false
	}
	switch sqlite.ErrCode(err) {
	case sqlite.ResultFull, sqlite.ResultIOErrSHMSize:
		return true
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsBusy reports whether an error means that another connection or process held a lock for too long.
func IsBusy(err error) bool {
	if err == nil {
		return false
	}
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultBusy || code == sqlite.ResultLocked
}

// IsDamaged reports whether an error means that the file is not a database, or a broken one.
func IsDamaged(err error) bool {
	if err == nil {
		return false
	}
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultNotADB || code == sqlite.ResultCorrupt
}

// IsUnwritable reports whether an error means that the file or its directory may not be written, which
// reading needs, too: readers share an index that lies beside the file.
func IsUnwritable(err error) bool {
	if err == nil {
		return false
	}
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultReadOnly || code == sqlite.ResultCantOpen
}

// IsIO reports whether an error means that reading, writing or syncing the file failed.
func IsIO(err error) bool {
	return err != nil && !IsFull(err) && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultIOErr
}
