#!/bin/bash
# Sees to it that there are the programs of a PostgreSQL server, and a PgBouncer: tests start
# private ones. As root on Debian and its kin they are installed, without the server that a
# package would start; elsewhere the way to get them is named.
set -euo pipefail

has_postgres() {
	command -v initdb > /dev/null ||
		compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null ||
		compgen -G '/usr/pgsql-*/bin/initdb' > /dev/null ||
		compgen -G '/opt/homebrew/opt/postgresql*/bin/initdb' > /dev/null ||
		compgen -G '/usr/local/opt/postgresql*/bin/initdb' > /dev/null ||
		compgen -G '/usr/local/pgsql/bin/initdb' > /dev/null
}

has_pgbouncer() {
	PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v pgbouncer > /dev/null
}

if has_postgres && has_pgbouncer; then
	exit 0
fi

# The packages would make a cluster and start servers, of which nobody asked for any. Both
# are prevented while they are installed, and allowed again afterwards.
install() {
	local conf=/etc/postgresql-common/createcluster.conf policy=/usr/sbin/policy-rc.d
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends postgresql-common
	cp "$conf" "$conf.kept"
	echo 'create_main_cluster = false' >> "$conf"
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' > "$policy"
		chmod 755 "$policy"
		trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	fi
	apt-get install -y -qq --no-install-recommends postgresql pgbouncer
	mv "$conf.kept" "$conf"
}

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
	echo "need-postgres: no PostgreSQL server or no PgBouncer; installing postgresql and pgbouncer with apt-get" >&2
	export DEBIAN_FRONTEND=noninteractive
	install >&2
	if has_postgres && has_pgbouncer; then
		exit 0
	fi
fi

{
	echo "need-postgres: the tests of the PostgreSQL event log need the programs of a PostgreSQL server"
	echo "need-postgres: (13 or newer; they start a private one, nothing of yours is touched) and PgBouncer."
	has_postgres || echo "need-postgres: missing: initdb"
	has_pgbouncer || echo "need-postgres: missing: pgbouncer"
	echo "need-postgres: install them and run make again:"
	echo "    Debian, Ubuntu   sudo apt-get install postgresql pgbouncer"
	echo "    Fedora           sudo dnf install postgresql-server pgbouncer"
	echo "    macOS            brew install postgresql pgbouncer"
} >&2
exit 1
