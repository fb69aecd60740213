#!/usr/bin/env bash
# Makes the database cluster at the first start, then runs the command, as the official image's entrypoint does for
# POSTGRES_USER, POSTGRES_DB and POSTGRES_PASSWORD_FILE.
set -euo pipefail
if [ "${1:-}" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait --mode=fast stop
fi
if [ "${1:-}" = postgres ]; then
  set -- "$@" -c "listen_addresses=*"
fi
exec "$@"
