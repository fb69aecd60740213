#!/usr/bin/env bash
# Keeps the build of this version: hosts serve it at /sdk/VERSION/ from now on, and its bytes never change again.
set -euo pipefail
cd "$(dirname "$0")"
version=$(node -p 'require("./package.json").version')
if [ -e "released/$version" ]; then
  echo "Version $version is released. Raise the version in package.json first." >&2
  exit 1
fi
./build.sh
mkdir -p "released/$version"
for name in placard consent-apis debug embed formats refresh; do cp "dist/$name.js" "released/$version/"; done
cp dist/placard.css "released/$version/"
echo "released/$version"
