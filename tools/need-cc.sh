#!/bin/bash
# Sees to it that there is a C compiler, which Go's race detector needs. As root on Debian
# and its kin it is installed; elsewhere the way to get one is named. Tests are never run
# without the race detector in silence.
set -euo pipefail

cc="$(go env CC)"
probe="$(mktemp -d)"
trap 'rm -rf "$probe"' EXIT
printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' > "$probe/probe.c"

works() {
	# $cc unquoted: CC may carry flags.
	# shellcheck disable=SC2086
	$cc -o "$probe/probe" "$probe/probe.c" > "$probe/log" 2>&1
}

if works; then
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-cc: no working C compiler ($cc); installing gcc and libc6-dev with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends gcc libc6-dev >&2
	if works; then
		exit 0
	fi
fi

{
	echo "need-cc: the race detector needs a C compiler, and '$cc' does not work:"
	sed 's/^/    /' "$probe/log"
	echo "need-cc: install one and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install gcc libc6-dev"
	echo "    Fedora           sudo dnf install gcc"
	echo "    Alpine           sudo apk add gcc musl-dev"
	echo "    macOS            xcode-select --install"
	echo "need-cc: 'make demo' and 'make build' work without one."
} >&2
exit 1
