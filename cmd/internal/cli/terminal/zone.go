package terminal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ownZone names the time zone of this process for a server: as everybody does, or if it has no name here, by the seconds that
// it is east of Greenwich now.
func ownZone() string {
	name, set := os.LookupEnv("TZ")
	name = strings.TrimPrefix(name, ":")
	if set && name == "" {
		return "UTC"
	}
	if !set {
		name, _ = filepath.EvalSymlinks("/etc/localtime")
	}
	if _, below, is := strings.Cut(name, "/zoneinfo/"); is {
		name = below
	}
	_, east := time.Now().Zone()
	if zone, err := time.LoadLocation(name); name != "" && err == nil {
		if _, its := time.Now().In(zone).Zone(); its == east {
			return name
		}
	}
	return strconv.Itoa(east)
}

// zoneNamed is the time zone that a caller named, or this machine's if nothing of it is known here.
func zoneNamed(name string) *time.Location {
	if east, err := strconv.Atoi(name); err == nil && east > -24*60*60 && east < 24*60*60 {
		return time.FixedZone(time.Unix(0, 0).In(time.FixedZone("", east)).Format("-07:00"), east)
	}
	if zone, err := time.LoadLocation(name); name != "" && err == nil {
		return zone
	}
	return time.Local
}
