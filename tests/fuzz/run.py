"""
``make fuzz``: runs the fuzzers of the C that parses untrusted bytes, each on ten million inputs.

As many run at once as there are cores. With ``SECONDS`` they share that time instead. New inputs are kept in
``build/fuzz``; ``--keep`` adds those that reach new code to the corpus. Exits with 1 where a fuzzer found a fault, and
prints the command that repeats it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from common.service.compiled import ROOT, native_extensions
from deploy.debian import install_missing

_HERE = Path(__file__).parent
_CORPUS = _HERE / "corpus"
_BUILT = ROOT / "build" / "fuzz"
_CLANG = "clang-14"
_PACKAGES = {
    _CLANG: [_CLANG, "libclang-rt-14-dev"],
    "/usr/include/openssl/hmac.h": ["libssl-dev"],
    f"{sysconfig.get_paths()['include']}/Python.h": ["python3-dev"],
}
_RUNS = 10_000_000
_FLAGS = ["-O2", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror", "-I."]
_SANITIZE = "-fsanitize=fuzzer,address,undefined"
_ENVIRONMENT = {
    # The interpreter leaks at its end by design, and its allocator would hide what reads beyond an object.
    "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=3:quarantine_size_mb=16",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "PYTHONMALLOC": "malloc",
    "PYTHONPATH": os.pathsep.join([str(ROOT), sysconfig.get_paths()["purelib"]]),
}
_DONE = re.compile(r"^Done (\d+) runs in (\d+) second", re.MULTILINE)


@dataclass(frozen=True)
class Target:
    """*files*: C that is fuzzed. *extension*: for a fuzzer that compares with Python, the module of the extension."""

    name: str
    files: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    extension: str = ""
    max_bytes: int = 4096

    @property
    def binary(self) -> Path:
        return _BUILT / self.name

    @property
    def found(self) -> Path:
        return _BUILT / f"{self.name}.found"

    @property
    def corpus(self) -> Path:
        return _CORPUS / self.name


_SERVE_CACHE = "edge/fastpath/serve_cache"
TARGETS = (
    Target("head", (f"{_SERVE_CACHE}/head.c", f"{_SERVE_CACHE}/keyed_hash.c"), max_bytes=9000),
    Target("framing", ("edge/fastpath/http1/framing.c",), max_bytes=20_000),
    Target("record", ("control/events/ingest/record_scan.c",)),
    Target("token_mac", ("common/tracking/token_mac.c",), ("-lcrypto",), max_bytes=300),
    Target("rows", extension="control.events.ingest.rows"),
    Target("fast_decode", extension="common.snapshot.fast_decode"),
)


def build(target: Target) -> None:
    """Raises CalledProcessError."""
    files, more = list(target.files), list(target.libraries)
    harness = f"tests/fuzz/targets/{target.name}.c"
    if target.extension:
        files = native_extensions().sources[target.extension]
        harness = "tests/fuzz/targets/with_python.c"
        config = sysconfig.get_config_vars()
        more = [
            f"-DINIT=PyInit_{target.extension.rpartition('.')[2]}",
            f'-DCHECK="tests.fuzz.checks.{target.name}"',
            f"-I{sysconfig.get_paths()['include']}",
            f"-L{config['LIBDIR']}",
            f"-lpython{config['LDVERSION']}",
            f"-Wl,-rpath,{config['LIBDIR']}",
        ]
    command = [_CLANG, *_FLAGS, _SANITIZE, harness, *files, *more, "-o", str(target.binary)]
    subprocess.run(command, cwd=ROOT, check=True)


def fuzz(target: Target, runs: int, seconds: int) -> int | None:
    """
    Returns the number of inputs; None where the fuzzer found a fault, which it has printed.

    *runs*, *seconds*: at most so many; 0 for any.
    """
    target.found.mkdir(exist_ok=True)
    dictionary = _HERE / "dictionaries" / f"{target.name}.txt"
    command = [
        str(target.binary),
        f"-max_len={target.max_bytes}",
        f"-runs={runs or -1}",
        f"-max_total_time={seconds}",
        f"-artifact_prefix={_BUILT}/{target.name}.fault-",
        *([f"-dict={dictionary}"] if dictionary.exists() else []),
        "-print_final_stats=0",
        "-verbosity=1",
        str(target.found),
        str(target.corpus),
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(), capture_output=True, text=True, check=False
    )
    count = _DONE.search(done.stderr)
    if done.returncode or count is None:
        sys.stderr.write(done.stderr[-6000:])
        print(
            f"{target.name}: found a fault. Repeat it with: {target.binary} {target.binary}.fault-*"
        )
        return None
    return int(count[1])


def keep(target: Target) -> None:
    """Makes the corpus a smallest set of inputs, of it and of what was found, that reaches the same code."""
    merged = _BUILT / f"{target.name}.merged"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir()
    command = [str(target.binary), "-merge=1", f"-max_len={target.max_bytes}", str(merged)]
    subprocess.run(
        [*command, str(target.corpus), str(target.found)],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        check=True,
    )
    shutil.rmtree(target.corpus)
    merged.rename(target.corpus)


def _environment() -> dict[str, str]:
    return os.environ | _ENVIRONMENT  # noqa: TID251 - what the fuzzers start with


def _missing_packages() -> list[str]:
    return [
        package
        for needed, packages in _PACKAGES.items()
        if not (Path(needed).exists() or shutil.which(needed))
        for package in packages
    ]


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("targets", nargs="*", help=", ".join(one.name for one in TARGETS))
    parser.add_argument(
        "--seconds",
        type=int,
        default=0,
        help="shared by all targets, in place of ten million inputs each",
    )
    parser.add_argument("--runs", type=int, default=_RUNS, help="inputs for each target")
    parser.add_argument(
        "--keep", action="store_true", help="add what reaches new code to the corpus"
    )
    requested = parser.parse_args()
    targets = [one for one in TARGETS if one.name in (requested.targets or [one.name])]
    install_missing(
        _missing_packages(),
        print,
        otherwise="Fuzzing needs clang 14 with libFuzzer, OpenSSL's and Python's headers. "
        f"On Debian: apt-get install {' '.join(name for names in _PACKAGES.values() for name in names)}",
    )
    _BUILT.mkdir(parents=True, exist_ok=True)
    cores = os.cpu_count() or 1
    share = max(1, requested.seconds // len(targets)) if requested.seconds else 0

    def build_and_fuzz(target: Target) -> int | None:
        build(target)
        begun_s = time.monotonic()
        count = fuzz(target, 0 if requested.seconds else requested.runs, share)
        if count is not None:
            took_s = time.monotonic() - begun_s
            print(f"{target.name}: {count:,} inputs in {took_s:.0f} s, no fault", flush=True)
            if requested.keep:
                keep(target)
        return count

    with ThreadPoolExecutor(cores) as pool:  # a fuzzer uses one core
        counts = dict(
            zip((one.name for one in targets), pool.map(build_and_fuzz, targets), strict=True)
        )
    if None in counts.values():
        return 1
    (_BUILT / "counts.json").write_text(json.dumps(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
