#!/bin/sh
# Copies the primary at the first start, and then follows it.
set -eu
data=/var/lib/postgresql/data/standby
if [ ! -f "$data/PG_VERSION" ]; then
  rm -rf "$data"
  until pg_basebackup --host=database --username=tocsin --pgdata="$data.new" --wal-method=stream; do
    rm -rf "$data.new"
    sleep 2
  done
  echo "primary_conninfo = 'host=database user=tocsin password=$PGPASSWORD application_name=standby'" >>"$data.new/postgresql.auto.conf"
  # It has no standby itself: after it was promoted, commits would wait for one.
  echo "synchronous_standby_names = ''" >>"$data.new/postgresql.auto.conf"
  touch "$data.new/standby.signal"
  mv "$data.new" "$data"
fi
exec postgres -D "$data"
