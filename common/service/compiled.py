"""
Imports modules compiled ahead (`python -m deploy.compile`) in place of their sources. Each behaves like its source,
several times faster; modules that were not compiled run from their source.
"""

import hashlib
import json
import re
import sys
import sysconfig
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "compiled"
SANITIZED = ROOT / "build" / "sanitized"
"""The C extensions alone, built with sanitizers; used with ``PLACARD_COMPILED=sanitized``."""
NATIVE = ROOT / "build" / "native"
"""The C extensions alone, in a folder for each digest of their sources; used with ``PLACARD_COMPILED=c``."""
EXTENSIONS = ROOT / "deploy" / "compile" / "extensions.toml"
MANIFEST = "manifest.json"
_INCLUDED = re.compile(rb'^#include "([^"]+)"', re.MULTILINE)
_AGAIN = (
    "Build with `make compile` (the C alone: `make compile-c`), or start without PLACARD_COMPILED."
)


class CompiledMissing(ImportError):
    """There is no build for these sources and this Python; the message states what to do."""


def platform_tag() -> str:
    """Returns the target of a build: Python's release, system and processor."""
    return f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"


class NativeExtensions(NamedTuple):
    """The extensions written in C. ``sources``: by module, relative to the project. ``flags``: by compile and link."""

    sources: dict[str, list[str]]
    flags: dict[str, list[str]]


@cache
def native_extensions() -> NativeExtensions:
    """Reads ``deploy/compile/extensions.toml``. Raises `CompiledMissing` where there is none: outside a checkout."""
    try:
        return NativeExtensions(**tomllib.loads(EXTENSIONS.read_text()))
    except FileNotFoundError as error:
        message = "An installed package runs from source. Start it without PLACARD_COMPILED."
        raise CompiledMissing(message) from error


def source_digest(module: str, root: Path = ROOT) -> str:
    """Returns the digest of the Python source; of an extension in C also of its files, their includes and its flags."""
    native = native_extensions()
    texts = [root.joinpath(*module.split(".")).with_suffix(".py").read_bytes()]
    files = native.sources.get(module, [])
    if files:
        texts += _with_included([root / name for name in files], root).values()
        texts.append(json.dumps(native.flags).encode())
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def native_folder() -> Path:
    """Returns where the C extensions of these sources are, or will be, for this Python."""
    digests = [platform_tag(), *map(source_digest, sorted(native_extensions().sources))]
    return NATIVE / hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


def _with_included(written: list[Path], root: Path) -> dict[Path, bytes]:
    texts: dict[Path, bytes] = {}
    waiting = [*written]
    while waiting:
        path = waiting.pop()
        if path not in texts:
            texts[path] = path.read_bytes()
            waiting += [root / name.decode() for name in _INCLUDED.findall(texts[path])]
    return texts


def use_compiled(folder: Path = FOLDER, *, mode: str = "1") -> None:
    """
    Applies to every later import of the process; call it before the first import of a module that may be compiled.

    *mode*: the value of ``PLACARD_COMPILED``.

    Raises `CompiledMissing` where the build is absent, for another Python, or for sources that changed since: old code
    never runs in place of new.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
    except FileNotFoundError as error:
        raise CompiledMissing(f"Nothing was compiled yet. {_AGAIN}") from error
    if manifest["platform"] != platform_tag():
        raise CompiledMissing(f"The build is for {manifest['platform']}. {_AGAIN}")
    for module, digest in manifest["modules"].items():
        if source_digest(module) != digest:
            raise CompiledMissing(f"{module} changed since it was compiled. {_AGAIN}")
    sys.meta_path.insert(0, _Compiled(folder, mode))


def compiled_mode(meta_path: Sequence[object]) -> str:
    """
    Returns the mode with which `use_compiled` was called: ``1``, ``c`` or ``sanitized``; ``source`` where it was not.

    *meta_path*: ``sys.meta_path``.
    """
    modes = [finder.mode for finder in meta_path if isinstance(finder, _Compiled)]
    return modes[0] if modes else "source"


def is_compiled(module: ModuleType) -> bool:
    return isinstance(module.__loader__, ExtensionFileLoader)


class _Compiled(MetaPathFinder):
    def __init__(self, folder: Path, mode: str) -> None:
        self.mode = mode
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        self._files = {
            ".".join(path.relative_to(folder).parts).removesuffix(suffix): path
            for path in folder.rglob(f"*{suffix}")
        }

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self._files.get(name)
        if file is None:
            return None
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, str(file)))
