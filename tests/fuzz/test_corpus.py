"""What fuzzing found is handled by the extensions as by their specifications (`make fuzz` runs the fuzzers)."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.checks import fast_decode, rows, scanned

_CORPUS = Path(__file__).parent / "corpus"
_CHECKS: dict[str, tuple[str, Callable[[Any, bytes], None]]] = {
    "head": ("edge.fastpath.serve_cache.head_parts", scanned.check_head),
    "record": ("control.events.ingest.scan", scanned.check_record),
    "token_mac": ("common.tracking.token_hmac", scanned.check_token_mac),
    "rows": ("control.events.ingest.rows", rows.check),
    "fast_decode": ("common.snapshot.fast_decode", fast_decode.check),
}


@pytest.mark.parametrize("target", _CHECKS)
def test_every_input_is_handled_as_specified(target: str) -> None:
    name, check = _CHECKS[target]
    extension = import_module(name)
    inputs = sorted((_CORPUS / target).iterdir())

    assert inputs
    for one in inputs:
        check(extension, one.read_bytes())
