"""The pages of ads, files, reviews and windows speak Portuguese whole."""

from pathlib import Path
from typing import Any

import pytest
from jinja2.ext import babel_extract

from control.dashboard.ads.messages import ASSET_KINDS, ASSET_STATUSES, FORMAT_HINTS, FORMATS
from control.dashboard.flash_messages import FLASH_MESSAGES
from control.dashboard.rendering import HERE
from control.foundation.languages import translations_of

_SAME_IN_BOTH = {
    "%(count)s bytes",
    "%(rate)s kbit/s",
    "%(seconds)s s",
    "Banner",
    "E-mail",
    "HTML",
    "Id",
    "Slots",
}
_TOLD = (
    *("ad_created", "ad_active", "ad_waits", "ad_paused", "ad_archived", "asset_uploaded"),
    *("ad_copied", "ads_activate", "ads_pause", "ads_resume", "ads_archive"),
)


def _is_missing(words: str) -> bool:
    return words not in _SAME_IN_BOTH and translations_of("pt_BR").gettext(words) == words


def _words(template: Path) -> set[str]:
    with template.open("rb") as file:
        found: list[Any] = [message for _, _, message, _ in babel_extract(file, ("_",), (), {})]
    return {one if isinstance(one, str) else one[0] for one in found}


@pytest.mark.parametrize("room", ["ads", "assets", "review", "embed"])
def test_every_word_of_a_folder_of_templates_is_translated(room: str) -> None:
    templates = sorted((HERE / "templates" / room).glob("*.html"))

    assert templates
    assert {words for one in templates for words in _words(one) if _is_missing(words)} == set()


def test_every_label_is_translated() -> None:
    labels = {*FORMATS.values(), *FORMAT_HINTS.values(), *ASSET_KINDS.values()}
    labels |= {meaning for _, _, meaning in ASSET_STATUSES.values()}
    labels |= {FLASH_MESSAGES[name] for name in _TOLD}

    assert {words for words in labels if _is_missing(words)} == set()
