"""Whether every sentence of the rooms of campaigns is there in every language, and every reason has a sentence."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

import control.dashboard
from common.decision.rules.outcome import NoFillReason
from common.values.enums import AccountState
from common.values.messages import Message
from control.dashboard.campaigns import forecasting, labels
from control.dashboard.campaigns.delivery_messages import DELIVERY, GATES, reason_of
from control.dashboard.flash_messages import FLASH_MESSAGES
from control.dashboard.targeting import labels as targeting_labels
from control.dashboard.targeting.controls import CONTROLS
from control.delivery.pacing import slot_match
from control.delivery.pacing.slot_match import AdShape, SlotShape
from control.demand.campaigns.delivery_status import delivery

_WEB = Path(control.dashboard.__file__).parent
_TONES = frozenset({"good", "bad", "warn", "quiet"})


def _in_templates() -> Iterator[str]:
    for path in sorted((_WEB / "templates" / "campaigns").glob("*.html")):
        with path.open("rb") as file:
            options = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
            for _, _, words, _ in babel_extract(file, ("_", "ngettext"), [], options):
                yield words if isinstance(words, str) else str((words or ("",))[0])


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str() if value and value not in _TONES:
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)
        case tuple():
            for one in value:
                yield from _texts(one)
        case _:
            return


def _in_code() -> Iterator[str]:
    for name, value in (vars(labels) | vars(targeting_labels)).items():
        if name.isupper():
            yield from _texts(value)
    for reason in (*DELIVERY.values(), *GATES.values()):
        yield from _texts((reason.text, reason.remedy))
    yield from _texts(forecasting.LIMITS)
    for kind in CONTROLS:
        yield from _texts((kind.title, kind.intro, kind.mismatch, kind.remedy))
        for one in kind.controls:
            yield from _texts((one.label, one.sentence, one.hint, dict(one.options)))
        for asked in kind.questions:
            yield from filter(None, (asked.label, asked.example))
    yield from (label for _, label in forecasting.SPANS)
    yield from (words for name, words in FLASH_MESSAGES.items() if name.startswith("campaign"))


def test_every_sentence_is_in_the_portuguese_catalogue() -> None:
    with (_WEB / "locales" / "pt_BR" / "campaigns.po").open("rb") as file:
        catalogue = read_po(file, locale="pt_BR", abort_invalid=True)
    known = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in catalogue
        if message.id and message.string
    }

    assert {*_in_templates(), *_in_code()} - known == set()


def test_every_gate_of_a_decision_has_a_sentence() -> None:
    assert set(NoFillReason) - set(GATES) == set()


def test_every_reason_against_delivery_has_a_sentence() -> None:
    sources = "".join(Path(str(one.__file__)).read_text("utf-8") for one in (delivery, slot_match))
    codes = set(re.findall(r'"([a-z_]+): ', sources))

    assert len(codes) > 15
    assert codes - set(DELIVERY) == set()
    assert {f"ads_{one}" for one in ("draft", "paused", "pending_review", "rejected")} <= set(
        DELIVERY
    )
    assert f"account_{AccountState.SUSPENDED}" in DELIVERY


def test_an_unknown_reason_is_shown_in_the_words_of_the_api() -> None:
    found, _ = reason_of(Message("of_tomorrow: wait a day"))

    assert found.text == "of_tomorrow: wait a day"


@pytest.mark.parametrize(
    ("ad", "slot", "detail"),
    [
        (
            AdShape("native"),
            SlotShape("s", ("display", "html")),
            "Its ads are native, and its slots accept display, html.",
        ),
        (
            AdShape("display", (300, 250)),
            SlotShape("s", ("display",), ((728, 90),)),
            "No slot accepts 300 × 250.",
        ),
    ],
)
def test_a_reason_names_the_formats_or_sizes_that_do_not_match(
    ad: AdShape, slot: SlotShape, detail: str
) -> None:
    reason = slot_match.no_match_reason([ad], [slot])
    assert reason is not None

    stored = Message.from_json(reason.to_json())

    assert reason_of(stored)[1] == detail


def test_a_reason_names_the_features_that_are_not_supported() -> None:
    reason = Message("not_supported_yet: every ad asks for {features}", features="skip, wrapper")

    assert reason_of(reason)[1] == "skip, wrapper"
