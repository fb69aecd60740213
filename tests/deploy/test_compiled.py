"""What was compiled is used where it was asked for, and never in place of newer sources."""

import json
import os
from importlib import import_module
from pathlib import Path

import pytest

from common.service.compiled import (
    MANIFEST,
    CompiledMissing,
    is_compiled,
    native_extensions,
    platform_tag,
    source_digest,
    use_compiled,
)

_LIST = Path(__file__).parents[2] / "deploy" / "compile" / "modules.txt"


@pytest.mark.parametrize("module", _LIST.read_text().split())
def test_a_module_runs_as_it_was_asked_for(module: str) -> None:
    requested = os.environ.get("PLACARD_COMPILED")  # noqa: TID251 - as `common` reads it
    is_built = requested == "1" or (
        requested in {"c", "sanitized"} and module in native_extensions().sources
    )

    assert is_compiled(import_module(module)) is is_built


def write_manifest(folder: Path, **changes: object) -> None:
    name = "common.values.enums"
    manifest = {"platform": platform_tag(), "modules": {name: source_digest(name)}}
    folder.joinpath(MANIFEST).write_text(json.dumps(manifest | changes))


def test_nothing_compiled_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(CompiledMissing, match="make compile"):
        use_compiled(tmp_path)


def test_a_build_for_another_python_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, platform="cpython-399-plan9")

    with pytest.raises(CompiledMissing, match="plan9"):
        use_compiled(tmp_path)


def test_a_build_of_other_sources_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, modules={"common.values.enums": "0" * 64})

    with pytest.raises(CompiledMissing, match=r"common\.values\.enums changed"):
        use_compiled(tmp_path)
