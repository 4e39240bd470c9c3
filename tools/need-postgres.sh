#!/bin/bash
# Sees to it that there are the programs of a PostgreSQL server, and a PgBouncer: tests start
# private ones. As root on Debian and its kin they are installed, without the server that a
# package would start; elsewhere the way to get them is named.
set -euo pipefail

postgres() {
	command -v initdb > /dev/null ||
		compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null ||
		compgen -G '/usr/pgsql-*/bin/initdb' > /dev/null ||
		compgen -G '/opt/homebrew/opt/postgresql*/bin/initdb' > /dev/null ||
		compgen -G '/usr/local/opt/postgresql*/bin/initdb' > /dev/null ||
		compgen -G '/usr/local/pgsql/bin/initdb' > /dev/null
}

pgbouncer() {
	PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v pgbouncer > /dev/null
}

if postgres && pgbouncer; then
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-postgres: no PostgreSQL server or no PgBouncer; installing postgresql and pgbouncer with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2
	# The package makes and starts a cluster of its own, unless told not to before it comes.
	apt-get install -y -qq --no-install-recommends postgresql-common >&2
	sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
	# A pgbouncer that starts itself is not wanted either.
	policy=/usr/sbin/policy-rc.d
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' > "$policy"
		chmod 755 "$policy"
		trap 'rm -f "$policy"' EXIT
	fi
	apt-get install -y -qq --no-install-recommends postgresql pgbouncer >&2
	if postgres && pgbouncer; then
		exit 0
	fi
fi

{
	echo "need-postgres: the tests of the PostgreSQL event log need the programs of a PostgreSQL server"
	echo "need-postgres: (13 or newer; they start a private one, nothing of yours is touched) and PgBouncer."
	postgres || echo "need-postgres: missing: initdb"
	pgbouncer || echo "need-postgres: missing: pgbouncer"
	echo "need-postgres: install them and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install postgresql pgbouncer"
	echo "    Fedora           sudo dnf install postgresql-server pgbouncer"
	echo "    macOS            brew install postgresql pgbouncer"
} >&2
exit 1
