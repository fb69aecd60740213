#!/usr/bin/env bash
# Compiles src into dist, which is committed.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v npm >/dev/null; then
  echo "The Node library is built with Node 20 or newer; on Debian and Ubuntu: apt-get install nodejs npm" >&2
  exit 1
fi
[ -x node_modules/.bin/tsc ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
rm -rf dist
node_modules/.bin/tsc
