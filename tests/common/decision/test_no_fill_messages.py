"""Words for every reason, so that nobody has to look one up in the code."""

import re

import pytest

from common.decision.no_fill_messages import MESSAGES, table
from common.decision.rules.outcome import NoFillReason


def test_every_reason_has_a_message_and_nothing_else_has() -> None:
    assert set(MESSAGES) == set(NoFillReason)


@pytest.mark.parametrize("reason", NoFillReason)
def test_messages_are_sentences_and_all_differ(reason: NoFillReason) -> None:
    words = MESSAGES[reason]

    for sentence in (words.text, words.remedy):
        assert re.fullmatch(r"[A-Z].*\.", sentence)
    assert [other.text for other in MESSAGES.values()].count(words.text) == 1


def test_the_table_names_every_reason() -> None:
    lines = table().splitlines()

    assert [line.split("`")[1] for line in lines[2:]] == [reason.value for reason in MESSAGES]
