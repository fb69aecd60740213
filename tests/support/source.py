"""A module as its source says, beside what was compiled of it."""

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from common.service.compiled import ROOT


def source_of(name: str) -> Any:
    """Run from source, under another name, whatever was imported."""
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    spec = spec_from_file_location(f"source of {name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
