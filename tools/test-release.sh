#!/bin/bash
# Installs what `make release` made for this machine (Linux) in each way that works here, and plays the demo with it. The packages of
# other machines are unpacked and looked at. The folder is bin/release, or the first argument.
set -euo pipefail

root="$(cd "$(dirname "$0")/.." && pwd)"
packages="${1:-$root/bin/release}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
arch="$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')"

need() { # COMMAND PACKAGE
	command -v "$1" > /dev/null && return
	if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >&2
	else
		echo "test-release: install $2 ($1), and run it again" >&2
		exit 1
	fi
}
say() { echo "test-release: $*"; }
plays() { # PROGRAM...
	"$@" version
	"$@" demo > "$work/demo.out" 2>&1 || { cat "$work/demo.out"; return 1; }
}
need rpm rpm
need minisign minisign
"$root/tools/need-node.sh"

cd "$packages"
sha256sum --quiet --check SHA256SUMS
[ "$(ls | grep -cv '^SHA256SUMS')" = "$(wc -l < SHA256SUMS)" ]
if [ -e SHA256SUMS.minisig ]; then
	minisign -Vm SHA256SUMS -p "${RELEASE_PUBLIC_KEY:?names the public key}"
fi
say "checksums hold"

mkdir "$work/archive" && tar -xzf kintsugi_*_linux_"$arch".tar.gz -C "$work/archive" --strip-components=1
plays "$work/archive/kintsugi"
[ -s "$work/archive/man/kintsugi.1" ] && [ -s "$work/archive/completions/kintsugi.bash" ] && [ -s "$work/archive/install.md" ]
say "the archive works"

dpkg-deb -x kintsugi_*_"$arch".deb "$work/deb"
dpkg-deb -e kintsugi_*_"$arch".deb "$work/deb.control"
for script in postinst prerm; do sh -n "$work/deb.control/$script"; done
grep -q '^ExecStart=/usr/bin/kintsugi serve' "$work/deb/usr/lib/systemd/system/kintsugi.service"
plays "$work/deb/usr/bin/kintsugi"
"$work/deb/usr/bin/kintsugi" config validate --config "$work/deb/etc/kintsugi/config.toml"
say "the .deb works"

machine="$(uname -m)"
rpm --quiet -K --nosignature "$packages"/kintsugi-*."$machine".rpm
mkdir "$work/rpm"
rpm --quiet -i --root "$work/rpm" --nodeps --noscripts "$packages"/kintsugi-*."$machine".rpm 2> "$work/rpm.err" || { cat "$work/rpm.err"; exit 1; } # Debian's rpm says that it would rather not
cmp "$work/rpm/usr/bin/kintsugi" "$work/deb/usr/bin/kintsugi"
rpm --quiet -e --root "$work/rpm" --noscripts kintsugi 2> "$work/rpm.err" || { cat "$work/rpm.err"; exit 1; }
[ ! -e "$work/rpm/usr/bin/kintsugi" ]
say "the .rpm comes and goes, with the same program"

mkdir "$work/npm" && cd "$work/npm"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --offline --omit=optional "$packages"/kintsugi-[0-9]*.tgz
if npx --no-install kintsugi version 2> "$work/npm.err"; then echo "a launcher without a program must say so" >&2; exit 1; fi
grep -q 'is not installed' "$work/npm.err"
node="$(node -p process.platform)-$(node -p process.arch)"
npm install --silent --no-audit --no-fund --offline --omit=optional "$packages"/kintsugi-run-"$node"-*.tgz
plays npx --no-install kintsugi
set +e
npx --no-install kintsugi workflow show nobody --data-dir "$work/empty" 2> /dev/null
[ $? = 3 ] || { echo "the launcher hands on the exit code" >&2; exit 1; }
set -e
say "the packages of npm work"

mkdir -p "$work/image" "$work/root" && tar -xf "$packages"/kintsugi_*_image.tar -C "$work/image"
node - "$work/image" "$arch" > "$work/layers" << 'END'
const { readFileSync } = require('node:fs')
const [folder, arch] = process.argv.slice(2)
const blob = (digest) => JSON.parse(readFileSync(folder + '/blobs/' + digest.replace(':', '/'), 'utf8'))
const index = JSON.parse(readFileSync(folder + '/index.json', 'utf8'))
const manifest = blob(index.manifests.find((m) => m.platform.architecture === arch).digest)
if (blob(manifest.config.digest).config.Entrypoint[0] !== '/kintsugi') throw new Error('no entrypoint')
for (const layer of manifest.layers) console.log(folder + '/blobs/' + layer.digest.replace(':', '/'))
END
while read -r layer; do tar -xzf "$layer" -C "$work/root"; done < "$work/layers"
cmp "$work/root/kintsugi" "$work/archive/kintsugi"
[ "$(grep -c BEGIN "$work/root/etc/ssl/certs/ca-certificates.crt")" -gt 100 ]
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$work/root/dev" "$work/root/proc" && mount --bind /dev "$work/root/dev" && mount -t proc proc "$work/root/proc"
	trap 'umount "$work/root/dev" "$work/root/proc"; rm -rf "$work"' EXIT
	plays chroot --userspec=65532:65532 "$work/root" /kintsugi
	say "the image works"
else
	say "the image has the same program; it is started as root only"
fi

for archive in "$packages"/kintsugi_*_{darwin,windows}_*; do
	[ -e "$archive" ] || continue
	case "$archive" in
	*.zip) python3 -m zipfile -t "$archive" > /dev/null ;;
	*) tar -tzf "$archive" > /dev/null ;;
	esac
	say "$(basename "$archive") unpacks; it does not run here"
done
node -e 'const bom = JSON.parse(require("fs").readFileSync(process.argv[1])); if (bom.bomFormat !== "CycloneDX" || bom.components.length < 100) throw new Error("no bill of materials")' "$packages"/kintsugi_*_sbom.cdx.json
ruby -c "$packages/kintsugi.rb" 2> /dev/null || say "kintsugi.rb was not checked: there is no ruby"
say "done"
