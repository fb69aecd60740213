"""The C of the extensions: listed in one place, and each header stands alone."""

import subprocess
import sysconfig

from common.service.compiled import ROOT, native_extensions

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
