#!/bin/bash
# Sees to it that there are Node.js and npm, whose event store clients are tested against ours. As root on Debian and
# its kin they are installed; elsewhere the way to get them is named.
set -euo pipefail

# The oldest version that the page is built with, and that the test runner and the clients work with.
oldest=20

works() {
	command -v npm > /dev/null && command -v node > /dev/null &&
		node -e "process.exit(Number(process.versions.node.split('.')[0]) >= $oldest ? 0 : 1)"
}

if works; then
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-node: no Node.js $oldest or newer with npm; installing nodejs and npm with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends nodejs npm >&2
	if works; then
		exit 0
	fi
fi

{
	echo "need-node: the tests of the Node clients need Node.js $oldest or newer, and npm; install them and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install nodejs npm"
	echo "    Fedora           sudo dnf install nodejs npm"
	echo "    Alpine           sudo apk add nodejs npm"
	echo "    macOS            brew install node"
} >&2
exit 1
