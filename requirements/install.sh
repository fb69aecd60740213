#!/usr/bin/env bash
# Makes .venv hold what requirements/NAME.lock says, NAME being `run` or `all`; nothing if it does.
# all.lock holds everything of run.lock, at the same versions.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
stamp=.venv/installed.sha256
digest() { sha256sum "requirements/$1.lock" | cut -d' ' -f1; }

have=$(cat "$stamp" 2>/dev/null || true)
if [ "$have" = "$(digest all)" ] || { [ "$name" = run ] && [ "$have" = "$(digest run)" ]; }; then
  exit 0
fi

python=
for candidate in python3.11 python3 python; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "Placard needs Python 3.11; looked for python3.11, python3 and python on the PATH." >&2
  exit 1
fi

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  echo "==> making .venv with $($python --version)"
  if ! "$python" -m venv --clear .venv >/dev/null 2>&1; then
    # Debian keeps a part of Python that venv needs in a package of its own.
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
      echo "\`$python -m venv .venv\` fails; on Debian and Ubuntu: apt-get install python3-venv" >&2
      exit 1
    fi
    echo "==> installing python3-venv with apt-get"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    "$python" -m venv --clear .venv
  fi
fi

echo "==> installing requirements/$name.lock into .venv"
rm -f "$stamp"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps \
  --require-hashes -r "requirements/$name.lock"
digest "$name" > "$stamp"
