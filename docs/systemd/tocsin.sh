#!/bin/sh
# Runs `tocsin` like the service: same user, same variables, same program. Run it as root or as that user.
set -eu
program=/opt/tocsin
environment=/etc/tocsin/environment
user=tocsin

[ "$(id -un)" = "$user" ] || exec runuser -u "$user" -- "$0" "$@"

# Reads the file without executing it, so the shell interprets no value. Variables that are already set take precedence.
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
