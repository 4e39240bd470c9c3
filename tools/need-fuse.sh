#!/bin/bash
# Sees to it that a file system of our own can be mounted (FUSE): the tests of power cuts need a disk that
# forgets what was not synced. As root that takes /dev/fuse alone; others need fusermount3 too.
# As root on Debian and its kin what is missing is installed; elsewhere the way to get it is named.
# KINTSUGI_NO_FUSE=1 goes on without, and the tests say that power cuts were not tested.
set -euo pipefail

missing() {
	if [ "$(uname -s)" != Linux ]; then
		echo "it needs Linux, this is $(uname -s)"
	elif [ ! -e /dev/fuse ]; then
		echo "there is no /dev/fuse"
	elif [ ! -w /dev/fuse ]; then
		echo "/dev/fuse may not be opened by $(id -un)"
	elif [ "$(id -u)" != 0 ] && ! command -v fusermount3 > /dev/null; then
		echo "there is no fusermount3, which mounts for $(id -un)"
	fi
}

if [ -z "$(missing)" ]; then
	exit 0
fi

if [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ]; then
	if command -v modprobe > /dev/null; then
		modprobe fuse 2> /dev/null || true
	fi
	# A container may lack the node of a device that it may use.
	if [ ! -e /dev/fuse ]; then
		mknod -m 666 /dev/fuse c 10 229 2> /dev/null || true
	fi
	if [ -n "$(missing)" ] && command -v apt-get > /dev/null; then
		echo "need-fuse: $(missing); installing fuse3 with apt-get" >&2
		export DEBIAN_FRONTEND=noninteractive
		apt-get update -qq >&2
		apt-get install -y -qq --no-install-recommends fuse3 >&2
	fi
	if [ -z "$(missing)" ]; then
		exit 0
	fi
fi

if [ "${KINTSUGI_NO_FUSE:-}" = 1 ] && [ -z "${CI:-}" ]; then
	echo "need-fuse: $(missing): POWER CUTS WILL NOT BE TESTED (KINTSUGI_NO_FUSE=1)" >&2
	exit 0
fi

{
	echo "need-fuse: the tests of power cuts mount a file system of their own: $(missing)."
	echo "need-fuse: install FUSE 3 and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install fuse3"
	echo "    Fedora           sudo dnf install fuse3"
	echo "    Alpine           sudo apk add fuse3"
	echo "    a container      docker run --device /dev/fuse --cap-add SYS_ADMIN …"
	echo "need-fuse: or leave these tests out, outside CI: KINTSUGI_NO_FUSE=1 make test"
} >&2
exit 1
