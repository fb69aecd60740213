"""Each player reports every quality signal, or its exception stands here with the reason."""

import re

import pytest

from common.values.enums import QualitySignal
from tests.architecture.imports import ROOT

_OF_A_VIEW = "`<service-ad>` reports it for every format (element.ts)"
_NOT_PLAYED = "an audio file has no view, no button and no error that the server sees"
_EXCEPTIONS: dict[str, dict[str, str]] = {
    "edge/serving/render/vast.py": {},
    "edge/stitching/delivery.py": dict.fromkeys(("viewable", "skip", "error"), _NOT_PLAYED),
    "common/contract/audio_models.py": dict.fromkeys(("viewable", "skip", "error"), _NOT_PLAYED),
    "clients/web/src/formats.ts": {
        "viewable": _OF_A_VIEW,
        "skip": "the browser's controls have no button to skip",
    },
}
"""File → signal → why it does not report the signal."""


@pytest.mark.parametrize("name", _EXCEPTIONS)
def test_a_player_reports_every_signal_or_names_the_exception(name: str) -> None:
    source = (ROOT / name).read_text()
    reported = {
        signal.value
        for signal in QualitySignal
        if re.search(
            rf'QualitySignal\.{signal.name}\b|"{signal.value}"|^    {signal.value}: ',
            source,
            re.MULTILINE,
        )
    }

    assert sorted(reported) == sorted(set(QualitySignal) - set(_EXCEPTIONS[name]))
