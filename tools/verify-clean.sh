#!/bin/bash
# Proves what the README promises: a fresh clone with empty caches can run `make demo`
# and `make test`. Works on the last commit, so that a forgotten file shows.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
cleanup() {
	# Go makes its module cache read-only.
	chmod -R u+w "$work"
	rm -rf "$work"
}
trap cleanup EXIT

git clone -q --no-hardlinks "$root" "$work/clone"
export GOMODCACHE="$work/mod" GOCACHE="$work/build" GOLANGCI_LINT_CACHE="$work/lint"
unset GOFLAGS

cd "$work/clone"
time make demo
time make test
if [ -n "$(git status --porcelain)" ]; then
	echo "verify/clean: the run left files behind that git does not ignore:" >&2
	git status --short >&2
	exit 1
fi
echo "verify/clean: a fresh clone works"
