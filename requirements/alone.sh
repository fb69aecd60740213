#!/usr/bin/env bash
# Makes build/NAME hold requirements/NAME.lock: packages that demand versions of their own, or are too large for .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
venv=build/$name
stamp=$venv/installed.sha256
wanted=$(sha256sum "requirements/$name.lock" | cut -d' ' -f1)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
  echo "==> installing requirements/$name.lock into $venv"
  .venv/bin/python -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes -r "requirements/$name.lock"
  echo "$wanted" > "$stamp"
fi
