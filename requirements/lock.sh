#!/usr/bin/env bash
# Writes the locks from pyproject.toml: hashes, no index addresses.
# run.lock: what `make run` installs; all.lock: that and what tests, checks and load need, at the same versions.
# checkov.lock: what checks the Kubernetes manifests, in an environment of its own, as it demands versions of its own.
# clickhouse.lock: the engine that tests of the report store talk to, in an environment of its own, as it is large.
# image.lock and cli.lock: what the images of the server (with traces) and of the command line hold; image-build.lock: what builds them.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.venv/bin/uv
common=(--universal --python-version 3.11 --generate-hashes --quiet --custom-compile-command "make lock")
"$uv" pip compile pyproject.toml --extra otel --group standalone --group test --group check --group load --group containers "${common[@]}" -o requirements/all.lock
"$uv" pip compile pyproject.toml --group standalone -c requirements/all.lock "${common[@]}" -o requirements/run.lock
"$uv" pip compile pyproject.toml --extra otel -c requirements/all.lock "${common[@]}" -o requirements/image.lock
"$uv" pip compile --group image -c requirements/all.lock "${common[@]}" -o requirements/image-build.lock
"$uv" pip compile clients/python/pyproject.toml -c requirements/all.lock "${common[@]}" -o requirements/cli.lock
"$uv" pip compile --group kubernetes "${common[@]}" -o requirements/checkov.lock
"$uv" pip compile --group report-store "${common[@]}" -o requirements/clickhouse.lock
