#!/bin/bash
# Runs every fuzz target of the module in turn, each for the time given.
# usage: tools/fuzz.sh 20s
set -euo pipefail

fuzztime="${1:?usage: tools/fuzz.sh DURATION, for example 20s}"
cd "$(dirname "$0")/.."

found=0
while IFS=: read -r file target; do
	found=$((found + 1))
	echo "== $target ($(dirname "$file"))"
	go test -run '^$' -fuzz "^${target}\$" -fuzztime "$fuzztime" "./$(dirname "$file")"
done < <(grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9_]+' . |
	sed -E 's/^\.\/([^:]+):[0-9]+:func (.*)$/\1:\2/' | sort)

if [ "$found" = 0 ]; then
	echo "fuzz: no fuzz target found" >&2
	exit 1
fi
echo "fuzz: $found targets, no failure"
