"""A day of known events through judge, record and store: verdicts as labelled, the bill to the micro."""

import uuid
from collections import Counter
from pathlib import Path

import pytest

from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.corrections.stage import HOUR_MS, Stage, a_stage
from tests.support.labelled_day import Labelled


async def test_a_few_hours_are_judged_and_billed_as_labelled(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async with a_stage(mailbox, tmp_path, 2 * HOUR_MS) as stage:
        await check_day(stage, 5_000, polls=1)


@pytest.mark.long
async def test_a_whole_day_is_judged_and_billed_as_labelled(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async with a_stage(mailbox, tmp_path, 24 * HOUR_MS) as stage:
        await check_day(stage, 100_000, polls=25)


async def check_day(stage: Stage, count: int, *, polls: int) -> None:
    played = stage.day.play(count)
    await stage.ingest(played, polls)

    labels = Counter(
        (one.record.token_id, str(one.record.kind), one.label, one.micros)
        for one in played
        if one.label is not None
    )
    stored: Counter[tuple[uuid.UUID, str, str, int]] = Counter(
        (row.token_id, row.kind, row.reason, row.charged_micros)
        for row in await stage.mailbox.events()
    )
    assert len(played) >= count
    wrong = {one for one, *_ in (labels - stored) + (stored - labels)}
    assert not wrong, _told(wrong, labels, stored)
    text = await stage.mailbox.check()
    assert text["micros"] == sum(one.micros for one in played)
    tight = await stage.mailbox.spent_micros(stage.day.cast.tight)
    assert tight == min(stage.day.cast.tight_micros, _asked(played, stage.day.cast.tight))
    assert await stage.mailbox.spent_micros(stage.day.cast.test) is None


def _told(wrong: set[uuid.UUID], *sides: Counter[tuple[uuid.UUID, str, str, int]]) -> str:
    """Of some tokens: what was to be, and what is."""
    some = sorted(wrong)[:5]
    return "\n".join(
        str([[rest for one, *rest in side if one == token] for side in sides]) for token in some
    )


def _asked(played: list[Labelled], campaign_id: str) -> int:
    return sum(
        one.record.price_micros for one in played if str(one.record.campaign_id) == campaign_id
    )
