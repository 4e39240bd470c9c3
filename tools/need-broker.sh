#!/bin/bash
# Sees to it that there is the server of a broker, redis or rabbitmq: tests start private ones. As root on Debian and its
# kin it is installed, without the server that a package would start; elsewhere the way to get it is named.
set -euo pipefail

has() {
	case "$1" in
	redis) command -v redis-server > /dev/null ;;
	rabbitmq) [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] ;;
	*) echo "need-broker: redis or rabbitmq, not $1" >&2 && exit 2 ;;
	esac
}

if has "$1"; then
	exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-broker: no $1; installing $1-server with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	policy=/usr/sbin/policy-rc.d
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' > "$policy"
		chmod 755 "$policy"
		trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	fi
	apt-get update -qq >&2
	apt-get install -y -qq --no-install-recommends "$1-server" >&2
	if has "$1"; then
		exit 0
	fi
fi
{
	echo "need-broker: the tests of what is told to brokers need the server of $1 (they start a private one,"
	echo "need-broker: nothing of yours is touched). Install it and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install $1-server"
	echo "    macOS            brew install $1"
} >&2
exit 1
