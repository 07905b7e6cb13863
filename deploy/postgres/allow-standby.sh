#!/bin/sh
# The image runs this once, for an empty database: the standby may replicate, and commits wait for it from the next start on.
set -eu
echo 'host replication tocsin samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
echo "synchronous_standby_names = 'standby'" >>"$PGDATA/postgresql.conf"
