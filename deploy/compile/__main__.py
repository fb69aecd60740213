"""
``python -m deploy.compile``: compiles the modules of serve calls, events and leases (``modules.txt``) with mypyc, for
``PLACARD_COMPILED=1``. Needs a C compiler and Python's headers. Without the build, everything runs from source.

``--c-only`` builds the extensions that are written in C and no others (``extensions.toml``), in seconds, for
``PLACARD_COMPILED=c``.
``--sanitize`` does that with the address and undefined behaviour sanitizers, for ``PLACARD_COMPILED=sanitized``.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from common.service.compiled import (
    FOLDER,
    MANIFEST,
    ROOT,
    SANITIZED,
    native_extensions,
    native_folder,
    platform_tag,
    source_digest,
)
from deploy.debian import NotInstalled, install_missing

_LIST = Path(__file__).with_name("modules.txt")
_SETUP = """\
from concurrent.futures import ThreadPoolExecutor

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class Build(build_ext):
    # setuptools compiles the files of one extension in turn, and mypyc's first extension has more than a hundred.
    def build_extensions(self):
        compile_in_turn = self.compiler.compile

        def compile_at_once(sources, **options):
            with ThreadPoolExecutor({jobs!r}) as pool:
                objects = pool.map(lambda source: compile_in_turn([source], **options), sources)
                return [name for names in objects for name in names]

        self.compiler.compile = compile_at_once
        super().build_extensions()


modules = [
    Extension(name, files, include_dirs=["."], extra_compile_args={compile!r}, extra_link_args={link!r})
    for name, files in {written!r}.items()
]
if {files!r}:
    from mypyc.build import mypycify  # not there where only `make run` was set up

    # mypyc's own -g1 comes after the CFLAGS of who builds, and names the folder, which is different each time.
    modules += mypycify({files!r}, opt_level="2", debug_level="0", multi_file=True)
setup(
    name="placard-compiled",
    packages=[],
    py_modules=[],
    ext_modules=modules,
    cmdclass={{"build_ext": Build}},
)
"""
_NEEDS = "Compiling needs a C compiler and Python's headers. On Debian: apt-get install gcc libc6-dev python3-dev."
_TREE = ("common", "control", "edge", "pyproject.toml")
_JOBS = os.cpu_count() or 1
_SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
_SANITIZED = [*_SANITIZERS, "-U_FORTIFY_SOURCE", "-O1", "-g", "-fno-omit-frame-pointer"]


def main() -> int:
    """Returns the exit code. Does nothing if the build is up to date."""
    parser = argparse.ArgumentParser(prog="python -m deploy.compile")
    parser.add_argument("--c-only", action="store_true", help="only what is written in C")
    parser.add_argument("--sanitize", action="store_true", help="that, with sanitizers")
    requested = parser.parse_args()
    modules = _LIST.read_text().split()
    folder = FOLDER
    if requested.c_only or requested.sanitize:
        modules = [module for module in modules if module in native_extensions().sources]
        folder = SANITIZED if requested.sanitize else native_folder()
    return _compile(modules, folder)


def _compile(modules: list[str], folder: Path) -> int:
    if _is_fresh(modules, folder):
        _report(f"{folder.relative_to(ROOT)} is fresh")
        return 0
    try:
        install_missing(_missing_packages(), _report, otherwise=_NEEDS)
    except NotInstalled as error:
        sys.stderr.write(f"{error}\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="plc-") as name:
        work = Path(name)
        built = _build(work, modules, folder)
        if built is None:
            return 1
        manifest = {
            "platform": platform_tag(),
            "modules": {module: source_digest(module, work) for module in modules},
        }
        (built / MANIFEST).write_text(json.dumps(manifest, indent=1))
        _put(built, folder)
    _report(f"compiled {len(modules)} modules into {folder.relative_to(ROOT)}")
    return 0


def _report(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _is_fresh(modules: list[str], folder: Path) -> bool:
    try:
        known = json.loads((folder / MANIFEST).read_text())
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


def _build(work: Path, modules: list[str], folder: Path) -> Path | None:
    """Compiles a copy of the tree. Returns the folder of the results, or None with mypyc's messages on stderr."""
    for part in _TREE:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, work / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, work / part)
    (work / "setup.py").write_text(setup_text(modules, work, sanitize=folder == SANITIZED))
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "-j",
        str(_JOBS),
        "--build-lib",
        "built",
    ]
    done = subprocess.run(
        command, cwd=work, env=_environment(work), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(f"{done.stdout}{done.stderr}")
        return None
    return work / "built"


def _environment(work: Path) -> dict[str, str]:
    """With ccache, where it is installed, only files whose C changed are compiled again."""
    compiler = sysconfig.get_config_var("CC")
    if shutil.which("ccache") is None or not compiler:
        return dict(os.environ)
    # The folder's name is different each time, and must not make a difference.
    cache = {"CC": f"ccache {compiler}", "CCACHE_BASEDIR": str(work), "CCACHE_NOHASHDIR": "1"}
    return cache | os.environ


def setup_text(modules: list[str], work: Path, *, sanitize: bool) -> str:
    """Modules of `extensions.toml` are built from their C files; mypyc compiles the others."""
    sources, flags = native_extensions()
    return _SETUP.format(
        jobs=_JOBS,
        files=[f"{module.replace('.', '/')}.py" for module in modules if module not in sources],
        written={
            module: _own_copies(module, sources[module], work)
            for module in modules
            if module in sources
        },
        compile=flags["compile"] + (_SANITIZED if sanitize else []),
        link=flags["link"] + (_SANITIZERS if sanitize else []),
    )


def _own_copies(module: str, files: list[str], work: Path) -> list[str]:
    """Copies of *files*: extensions that share a file are built at the same time, and would write the same object."""
    copies = [work / "native" / module / name for name in files]
    for name, copy in zip(files, copies, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(work / name, copy)
    return [str(copy.relative_to(work)) for copy in copies]


def _put(built: Path, folder: Path) -> None:
    """Replaces the previous build, which a running process has mapped and keeps."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.copytree(built, temporary)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        temporary.rename(folder)
    except OSError:  # another process has just put the same build there
        shutil.rmtree(temporary)


if __name__ == "__main__":
    sys.exit(main())
