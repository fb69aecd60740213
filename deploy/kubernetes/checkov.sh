#!/usr/bin/env bash
# Checks what kustomize renders by Checkov's rules, without those that checkov.yaml excepts.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=build/checkov
stamp=$venv/installed.sha256
wanted=$(sha256sum requirements/checkov.lock | cut -d' ' -f1)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]; then
  echo "==> installing requirements/checkov.lock into $venv"
  .venv/bin/python -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes -r requirements/checkov.lock
  echo "$wanted" > "$stamp"
fi
for overlay in dev production; do
  echo "==> $overlay"
  kubectl kustomize "deploy/kubernetes/overlays/$overlay" > "build/checkov/$overlay.yaml"
  "$venv/bin/checkov" --config-file deploy/kubernetes/checkov.yaml --file "build/checkov/$overlay.yaml"
done
