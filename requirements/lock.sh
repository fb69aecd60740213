#!/usr/bin/env bash
# Writes the locks from pyproject.toml: hashes, no index addresses.
# run.lock: what `make run` installs; all.lock: that and what tests, checks and load need, at the same versions.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}
[ -x "$uv" ] || .venv/bin/pip install --quiet uv
common=(--universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet --custom-compile-command "make lock")
"$uv" pip compile pyproject.toml --group standalone --group test --group check --group load "${common[@]}" -o requirements/all.lock
"$uv" pip compile pyproject.toml --group standalone -c requirements/all.lock "${common[@]}" -o requirements/run.lock
