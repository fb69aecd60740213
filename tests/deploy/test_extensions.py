"""The C of the extensions: listed in one place, and each header stands alone."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from common.service.compiled import ROOT, native_extensions
from deploy.compile.__main__ import setup_text

_SOURCES = ("common", "control", "edge")


def find_files(suffix: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for folder in _SOURCES
        for path in ROOT.joinpath(folder).rglob(f"*{suffix}")
    }


def test_every_c_file_is_linked_into_an_extension() -> None:
    listed = {name for files in native_extensions().sources.values() for name in files}

    assert listed == find_files(".c")


def test_every_header_compiles_alone() -> None:
    flags = [flag for flag in native_extensions().flags["compile"] if flag != "-Werror"]
    include = sysconfig.get_paths()["include"]

    done = subprocess.run(
        ["cc", "-fsyntax-only", *flags, "-I.", f"-I{include}", *sorted(find_files(".h"))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(("python_modules", "needs_mypyc"), [([], False), (["a.b"], True)])
def test_only_python_modules_need_mypyc(
    tmp_path: Path, python_modules: list[str], *, needs_mypyc: bool
) -> None:
    """`make run` builds the C, and installs no mypyc."""
    module, files = next(iter(native_extensions().sources.items()))
    for name in files:
        tmp_path.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(name).touch()
    text = setup_text([module, *python_modules], tmp_path, sanitize=False)

    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['mypyc'] = None\n{text}", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode != 0) is needs_mypyc, done.stderr
    assert ("mypyc" in done.stderr) is needs_mypyc


@pytest.mark.long
def test_builds_in_two_folders_are_alike(tmp_path: Path) -> None:
    """Of mypyc, too: the linker's build ID would be another one if debug information named the folder."""
    built = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        folder.joinpath("module.py").write_text(
            "def add(a: int, b: int) -> int:\n    return a + b\n"
        )
        folder.joinpath("setup.py").write_text(setup_text(["module"], folder, sanitize=False))
        command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "built"]
        environment = {**os.environ, "CFLAGS": "-g0"}  # noqa: TID251 - a compiler needs its own
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        built.append({path.name: path.read_bytes() for path in folder.glob("built/*.so")})

    assert len(built[0]) == 1
    assert built[0] == built[1]
