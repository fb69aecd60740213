"""The pages about people and money speak Portuguese whole: every word of theirs is in a catalogue."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2.ext import babel_extract

from control.dashboard.audit_log.audit_messages import GROUPS, PHRASES
from control.dashboard.billing.invoices import LINES, UNITS
from control.dashboard.billing.wallet import KINDS, TOP_UP
from control.dashboard.flash_messages import FLASH_MESSAGES
from control.dashboard.members.screens import WHAT_ROLES_DO
from control.dashboard.privacy.screens import KINDS as PRIVACY_KINDS
from control.dashboard.privacy.screens import PLACES
from control.dashboard.rendering import HERE
from control.foundation.languages import translations_of
from control.identity.own_data.mail_topics import MAIL_TOPICS

_ROOMS = (
    "account",
    "audit_log",
    "billing",
    "email_links",
    "members",
    "privacy",
    "profile",
    "sign_in",
    "sign_up",
)
_SAME_IN_BOTH = {"E-mail", "Link"}
_OURS_TOLD = (
    "verify_first",
    "email_verified",
    "reset_asked",
    "password_reset",
    "password_changed",
    "joined",
    "verification_sent",
    "session_ended",
    "others_ended",
    "factor_off",
    "stopped",
    "resumed",
    "closed",
    "invited",
    "role_changed",
    "removed",
    "user_deleted",
    "privacy_requested",
    "left",
    "top_up_asked",
    "payout_asked",
)


def _words(template: Path) -> Iterator[str]:
    with template.open("rb") as file:
        for _, _, message, _ in babel_extract(file, ("_", "gettext", "ngettext"), (), {}):
            singular = message if isinstance(message, str) else (message or ("",))[0]
            yield singular or ""


def _labels() -> Iterator[str]:
    yield from WHAT_ROLES_DO.values()
    yield from (role.capitalize() for role in WHAT_ROLES_DO)
    yield from (FLASH_MESSAGES[name] for name in _OURS_TOLD)
    yield from GROUPS
    for table in (PHRASES, LINES, UNITS, KINDS):
        yield from table.values()
    yield from (words for words, _ in TOP_UP.values())
    for topic in MAIL_TOPICS:
        yield from filter(None, (topic.about, topic.how_often, topic.reason))
    yield from PRIVACY_KINDS.values()
    for words in PLACES.values():
        yield from words


def _is_missing(words: str) -> bool:
    translations = translations_of("pt_BR")
    if words in _SAME_IN_BOTH or not words:
        return False
    return translations.gettext(words) == translations.ngettext(words, words, 1) == words


@pytest.mark.parametrize("room", _ROOMS)
def test_every_word_of_a_folder_of_templates_is_translated(room: str) -> None:
    templates = sorted((HERE / "templates" / room).glob("*.html"))
    missing = {words for one in templates for words in _words(one) if _is_missing(words)}

    assert templates
    assert missing == set()


def test_every_label_is_translated() -> None:
    assert {words for words in _labels() if _is_missing(words)} == set()
