package app

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// room is how many bytes of the disk that a directory is on are free, for its user, of how many.
func room(dir string) (free, all int64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", dir, err)
	}
	var available, total, unused uint64
	if err := windows.GetDiskFreeSpaceEx(path, &available, &total, &unused); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", dir, err)
	}
	return int64(available), int64(total), nil
}

// gone says that there is no process with an id.
func gone(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}
