"""
``python -m deploy.compile``: compiles the modules of serve calls, events and leases (``modules.txt``) with mypyc, for
``PLACARD_COMPILED=1``. Needs a C compiler and Python's headers. Without the build, everything runs from source.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from common.service.compiled import FOLDER, MANIFEST, ROOT, platform_tag, source_digest
from deploy.debian import NotInstalled, install_missing

_LIST = Path(__file__).with_name("modules.txt")
_SETUP = """\
from mypyc.build import mypycify
from setuptools import Extension, setup

modules = mypycify({files!r}, opt_level="2", multi_file=True)
modules += [
    Extension(name, [name.replace(".", "/") + ".c"], include_dirs=["."], extra_compile_args=["-O2"])
    for name in {written!r}
]
setup(name="placard-compiled", packages=[], py_modules=[], ext_modules=modules)
"""
_NEEDS = "Compiling needs a C compiler and Python's headers. On Debian: apt-get install gcc libc6-dev python3-dev."
_TREE = ("common", "control", "edge", "pyproject.toml")


def main() -> int:
    """Returns the exit code. Does nothing if the build is up to date."""
    modules = _LIST.read_text().split()
    if _is_fresh(modules):
        _say(f"{FOLDER.relative_to(ROOT)} is fresh")
        return 0
    try:
        install_missing(_missing_packages(), _say, otherwise=_NEEDS)
    except NotInstalled as error:
        sys.stderr.write(f"{error}\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="plc-") as name:
        work = Path(name)
        built = _build(work, modules)
        if built is None:
            return 1
        manifest = {
            "platform": platform_tag(),
            "modules": {module: source_digest(module, work) for module in modules},
        }
        (built / MANIFEST).write_text(json.dumps(manifest, indent=1))
        _put(built)
    _say(f"compiled {len(modules)} modules into {FOLDER.relative_to(ROOT)}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _is_fresh(modules: list[str]) -> bool:
    try:
        known = json.loads((FOLDER / MANIFEST).read_text())
    except (OSError, ValueError):
        return False
    wanted = {module: source_digest(module) for module in modules}
    return bool(known == {"platform": platform_tag(), "modules": wanted})


def _missing_packages() -> list[str]:
    """Debian packages that this machine lacks for compiling."""
    packages = []
    if not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
        packages += ["gcc", "libc6-dev"]
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        packages.append("python3-dev")
    return packages


def _build(work: Path, modules: list[str]) -> Path | None:
    """Compiles a copy of the tree. Returns the folder of the results, or None with mypyc's messages on stderr."""
    for part in _TREE:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, work / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, work / part)
    (work / "setup.py").write_text(_setup_text(modules, work))
    jobs = str(os.cpu_count() or 1)
    command = [sys.executable, "setup.py", "-q", "build_ext", "-j", jobs, "--build-lib", "built"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"{done.stdout}{done.stderr}")
        return None
    return work / "built"


def _setup_text(modules: list[str], work: Path) -> str:
    """A module with a C file beside its source is built from that file; mypyc compiles the others."""
    paths = {module: module.replace(".", "/") for module in modules}
    written = [module for module, path in paths.items() if (work / f"{path}.c").exists()]
    files = [f"{path}.py" for module, path in paths.items() if module not in written]
    return _SETUP.format(files=files, written=written)


def _put(built: Path) -> None:
    """Replaces the previous build, which a running process has mapped and keeps."""
    FOLDER.parent.mkdir(exist_ok=True)
    aside = FOLDER.with_name(f"{FOLDER.name}.{os.getpid()}")
    shutil.copytree(built, aside)
    shutil.rmtree(FOLDER, ignore_errors=True)
    aside.rename(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
