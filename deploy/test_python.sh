#!/usr/bin/env bash
# Runs the tests without servers of common, edge and the contract on another Python: from source, where there is no
# serve cache, then on the C, which they build.
# With a root of Debian 13, as root, it uses that release's Python 3.13:
#
#   deploy/test_python.sh python3.12
#   deploy/test_python.sh python3.13 /var/tmp/debian-13      (made by debootstrap where it is missing)
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
root=${2:-}

tree=$root/var/tmp/placard-$python
[ -n "$root" ] || tree=$PWD/build/$python
inside=${tree#"$root"}

in_root() { if [ -n "$root" ]; then chroot "$root" "$@"; else "$@"; fi; }

if [ -n "$root" ] && [ ! -x "$root/usr/bin/$python" ]; then
  command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap
  debootstrap --variant=minbase --include="$python,$python-venv,$python-dev,gcc,libc6-dev,ca-certificates" \
    trixie "$root"
fi
if [ -n "$root" ]; then
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  for system in proc dev; do mountpoint -q "$root/$system" || mount --rbind "/$system" "$root/$system"; done
  trap 'for system in proc dev; do umount -R -l "$root/$system" || true; done' EXIT
fi

mkdir -p "$tree"
git ls-files -z | tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$tree"
in_root bash -euc "
  cd '$inside'
  [ -x .venv/bin/python ] || $python -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes \
    -r requirements/all.lock
  run() { .venv/bin/python -m pytest -q -m 'not long and not faults and not servers' \"\$@\"; }
  PLACARD_COMPILED=0 run --ignore=tests/edge/fastpath tests/common tests/edge tests/contract
  run tests/common tests/edge tests/control/events/ingest tests/fuzz
"
