#!/bin/bash
# Makes the Go code of the EventStoreDB protocol from internal/eventlog/esdbapi/proto. The generator is the one of the protobuf
# module in go.mod, so that code and library fit; the compiler is whatever protoc is at hand, and leaves no trace in
# the result: git diff --exit-code after a run says whether what is committed is what the .proto files say.
set -euo pipefail

cd "$(dirname "$0")/.."

if ! command -v protoc > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "generate: no protoc; installing protobuf-compiler with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends protobuf-compiler >&2
fi
if ! command -v protoc > /dev/null; then
	{
		echo "generate: the protobuf compiler is needed; install it and run make again:"
		echo "    Debian, Ubuntu   sudo apt-get install protobuf-compiler"
		echo "    Fedora           sudo dnf install protobuf-compiler"
		echo "    Alpine           sudo apk add protoc"
		echo "    macOS            brew install protobuf"
	} >&2
	exit 1
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go

protoc --plugin="$work/protoc-gen-go" --proto_path=. \
	--go_out="$work" --go_opt=module=github.com/kintsugi-run/kintsugi \
	internal/eventlog/esdbapi/proto/*.proto

for file in "$work"/internal/eventlog/esdbapi/pb/*.go; do
	sed '/^\/\/ \tprotoc  /d' "$file" > "internal/eventlog/esdbapi/pb/$(basename "$file")"
done
