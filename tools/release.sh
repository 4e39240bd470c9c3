#!/bin/bash
# Builds the packages of a version in bin/release; `make release` calls it. The same commit gives the same bytes.
#   TARGETS       kinds of machines, as "linux-amd64 darwin-arm64"; without it all that there are packages for
#   RELEASE_KEY   file of a minisign key that signs the checksums, with its password in MINISIGN_PASSWORD
set -euo pipefail

cd "$(dirname "$0")/.."
version="$1" commit="$2"
go="${GO:-go}"
targets="${TARGETS:-linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64}"
work="$PWD/bin/release.work"
rm -rf bin/release "$work"
mkdir -p "$work"/{bin,extras/man,extras/completions}
export CGO_ENABLED=0
unset GOFLAGS

build() { # OS ARCH FILE
	GOOS=$1 GOARCH=$2 "$go" build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$version -X main.commit=$commit" -o "$3" ./cmd/kintsugi
}

for target in $targets; do
	echo "release: $target" >&2
	build "${target%-*}" "${target#*-}" "$work/bin/kintsugi-$target"
done

# The program of this machine writes the manual and the completions.
own="$("$go" env GOHOSTOS)-$("$go" env GOHOSTARCH)"
program="$work/bin/kintsugi-$own"
if [ ! -e "$program" ]; then
	program="$work/program"
	build "${own%-*}" "${own#*-}" "$program"
fi
epoch="$(git log -1 --format=%ct)"
SOURCE_DATE_EPOCH="$epoch" "$program" man --dir "$work/extras/man" > /dev/null
for shell in bash zsh fish powershell; do
	"$program" completion "$shell" > "$work/extras/completions/kintsugi.$shell"
done

"$go" run -C tools/release . --version "$version" --date "$epoch" --root "$PWD" --bin "$work/bin" --extras "$work/extras" \
	--to "$PWD/bin/release" --key "${RELEASE_KEY:-}"
rm -rf "$work"
