#!/usr/bin/env bash
# Builds the web library into clients/web/dist, which is committed; nothing where it is fresh.
# --check: builds beside it, and fails where the committed files are not what comes of the sources.
set -euo pipefail
cd "$(dirname "$0")"

for tool in node npm; do
  if ! command -v "$tool" >/dev/null; then
    echo "The web library is built with Node 20 or newer; on Debian and Ubuntu: apt-get install nodejs npm" >&2
    exit 1
  fi
done

tools=node_modules/installed.sha256
wanted=$(sha256sum package-lock.json | cut -d' ' -f1)
if [ "$(cat "$tools" 2>/dev/null || true)" != "$wanted" ]; then
  echo "==> installing clients/web/package-lock.json"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  echo "$wanted" > "$tools"
fi

if [ "${1:-}" = --check ]; then
  exec node build.js --check
fi

stamp=node_modules/built.sha256
made_of() { find src dist build.js tsconfig.json package-lock.json -type f -print0 2>/dev/null | sort -z | xargs -0 sha256sum | sha256sum; }
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$(made_of)" ]; then
  node build.js
  made_of > "$stamp"
fi
