#!/bin/sh
# Sets up the database at the first start, as the entry point of the image `postgres` does, and runs the server as `postgres`.
set -e
if [ "$1" != postgres ]; then exec "$@"; fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install --directory --owner=postgres --mode=0700 "$(dirname "$PGDATA")" "$PGDATA"
  install --owner=postgres --mode=0600 "$POSTGRES_PASSWORD_FILE" /tmp/password
  chroot --userspec=postgres / sh -e -c '
    initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --auth-local=trust
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    pg_ctl --wait --options="-c listen_addresses= -c unix_socket_directories=/tmp" start
    createdb --host=/tmp --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl --wait stop'
fi
exec chroot --userspec=postgres / "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
