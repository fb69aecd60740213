#!/usr/bin/env bash
# Checks what kustomize renders by Checkov's rules, without those that checkov.yaml excepts.
set -euo pipefail
cd "$(dirname "$0")/../.."
requirements/alone.sh checkov
for overlay in dev production; do
  echo "==> $overlay"
  kubectl kustomize "deploy/kubernetes/overlays/$overlay" > "build/checkov/$overlay.yaml"
  build/checkov/bin/checkov --config-file deploy/kubernetes/checkov.yaml --file "build/checkov/$overlay.yaml"
done
