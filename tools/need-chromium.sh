#!/bin/bash
# Sees to it that there are a Chromium and a Node.js that can drive it, for the tests of the page. As root on Debian and
# its kin Chromium is installed; elsewhere the way to get it is named. CHROMIUM names another one.
set -euo pipefail

browser=${CHROMIUM:-/usr/bin/chromium}

# The oldest Node.js that what builds and drives the page works with.
oldest=20

if ! command -v node > /dev/null || ! node -e "process.exit(Number(process.versions.node.split('.')[0]) >= $oldest ? 0 : 1)"; then
	echo "need-chromium: the tests of the page need Node.js $oldest or newer, with npm: see nodejs.org, and run make again" >&2
	exit 1
fi

if "$browser" --version > /dev/null 2>&1; then
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-chromium: no Chromium; installing it with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends chromium >&2
	if "$browser" --version > /dev/null 2>&1; then
		exit 0
	fi
fi

{
	echo "need-chromium: the tests of the page need Chromium at $browser; install it, or name another with CHROMIUM=, and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install chromium"
	echo "    Fedora           sudo dnf install chromium"
	echo "    Alpine           sudo apk add chromium"
	echo "    macOS            brew install --cask chromium"
} >&2
exit 1
