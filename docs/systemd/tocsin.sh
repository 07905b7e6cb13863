#!/bin/sh
# `tocsin` as the service has it: its user, its variables, its program. For root, who becomes that user, and for the user itself.
set -eu
program=/opt/tocsin
environment=/etc/tocsin/environment
user=tocsin

[ "$(id -un)" = "$user" ] || exec runuser -u "$user" -- "$0" "$@"

# Read, not run: nothing in a value means anything to the shell. What is set already goes before.
while IFS= read -r line || [ -n "$line" ]; do
  case $line in [A-Z]*=*) ;; *) continue ;; esac
  name=${line%%=*}
  value=${line#*=}
  case $value in
    \"*\") value=${value#\"} value=${value%\"} ;;
    \'*\') value=${value#\'} value=${value%\'} ;;
  esac
  printenv "$name" >/dev/null || export "$name=$value"
done <"$environment"

exec "$program/node_modules/.bin/node" "$program/cli/tocsin.js" "$@"
