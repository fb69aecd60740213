"""A package imports only those before it: no import of a plane climbs."""

import pytest

from tests.architecture.imports import ROOT, Import
from tests.architecture.layers import LAYERS, climbing, climbing_in

MAX_ENTRIES = 20
"""On the first level of `control/`."""


@pytest.mark.parametrize("plane", sorted(LAYERS))
def test_no_module_imports_a_higher_layer(plane: str) -> None:
    assert not climbing_in(plane)


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("control/api/context.py", "control.billing.ledger.post"),
        ("control/storage/database.py", "control.api.call"),
        ("edge/serving/serve_flow.py", "edge.endpoints.serve"),
        ("edge/fastpath/serve_cache/entries.py", "edge.fastpath.http1.fast_serve"),
        ("common/decision/rules/targeting.py", "common.decision.index"),
        ("common/values/ids.py", "common.nowhere"),
    ],
)
def test_an_import_of_a_higher_layer_is_found(module: str, target: str) -> None:
    climbs = Import(ROOT / module, 1, target, at_load=True)

    assert climbing(module.split("/", maxsplit=1)[0], [climbs])


def test_every_entry_of_a_plane_is_a_layer() -> None:
    for plane, layers in LAYERS.items():
        names = {
            path.name.removesuffix(".py")
            for path in (ROOT / plane).iterdir()
            if path.suffix == ".py" or (path / "__init__.py").exists()
        }
        if not (ROOT / plane / "__main__.py").exists():
            names.add("__main__")

        assert names - {"__init__"} == {name.split(".")[0] for name in layers} | {"__main__"}


def test_the_first_level_of_control_is_small() -> None:
    entries = [
        path.name
        for path in (ROOT / "control").iterdir()
        if path.is_file()
        or (path / "__init__.py").exists()  # a moved package leaves a cache behind
    ]

    assert len(entries) <= MAX_ENTRIES


def test_architecture_has_a_line_for_each_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    missing = [
        f"{plane}/{name}"
        for plane, layers in LAYERS.items()
        for name in layers
        if name != "__main__" and f"| `{plane}/{name.replace('.', '/')}" not in text
    ]

    assert not missing
