"""Targeted languages against those of the visitor."""

import orjson
import pytest

from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.decision.rules.targeting import missed_kind, parse_targeting
from tests.support.builders import NOW_MS


@pytest.mark.parametrize(
    ("wanted", "read", "fits"),
    [
        ("pt", "pt-br", True),
        ("pt-br", "pt", False),
        ("en-u-ca-gregory", "en", True),
        ("en-us-u-ca-gregory", "en-us", True),
        ("en-us-u-ca-gregory", "en-gb", False),
        ("x-corp", "x-corp", True),
        ("en-x-corp", "en", False),
    ],
)
def test_a_language_range_matches_more_specific_tags(wanted: str, read: str, *, fits: bool) -> None:
    targeting = parse_targeting(orjson.dumps({"languages": [wanted]}).decode())
    missed = missed_kind(targeting, Signals(languages=(read,)), "UTC", NOW_MS)

    assert (missed is None) is fits
    assert missed is None or missed[1] is NoFillReason.LANGUAGE_NOT_TARGETED
