"""Snapshots that arrive while a mailing is prepared: what is chosen after them follows them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.snapshot.model import FrequencyCap, Size
from common.values.enums import CampaignStatus, EventKind
from edge.context import EdgeContext
from tests.edge.email.mail_world import a_mail_slot, a_sender
from tests.support.builders import a_later_snapshot

PEOPLE = [{"ref": f"r{number}", "uid": f"u{number}"} for number in range(250)]
CAP = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)


class Watched:
    """*watched*, whose attributes may be compiled and read-only, with *own* in place of some."""

    def __init__(self, watched: Any, **own: Any) -> None:
        self._watched = watched
        vars(self).update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watched, name)


def pause_all(edge: EdgeContext) -> None:
    """A delta in which every campaign is paused arrives."""
    before = edge.snapshots.current()
    paused = [replace(one, status=CampaignStatus.PAUSED) for one in before.campaigns.values()]
    edge.snapshots.adopt(a_later_snapshot(before, *paused), confirmed_ms=edge.clock.now_ms())


@pytest.mark.parametrize("mode", ["per_recipient", "per_send"])
async def test_mails_after_the_first_200_are_chosen_by_a_snapshot_that_came_with_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    async with a_sender(tmp_path) as sender:
        mails = sender.edge.mails
        store = mails.store

        async def stored(items: dict[str, bytes]) -> Any:
            if len(items) > 1:
                pause_all(sender.edge)
            return await store(items)

        monkeypatch.setattr(mails, "store", stored)
        prepared = await sender.prepare(recipients=PEOPLE, mode=mode)

    assert (prepared["filled"], prepared["no_fill"]) == (200, 50)


async def test_each_image_that_is_chosen_later_is_sized_by_a_snapshot_that_came_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [{"uid": country, "ref": country, "country": country} for country in ("BR", "DE")]
    slot = a_mail_slot(sizes=(Size(300, 200), Size(600, 200)))
    async with a_sender(tmp_path, slot=slot) as sender:
        frequency_caps = sender.edge.frequency_caps
        person = frequency_caps.person

        def found(*args: Any) -> Any:
            pause_all(sender.edge)
            return person(*args)

        monkeypatch.setattr(sender.edge, "frequency_caps", Watched(frequency_caps, person=found))
        prepared = await sender.prepare(recipients=people, render="on_open")

    assert [item["width"] for item in prepared["items"]] == [600, 300]


async def test_recipients_whose_counts_are_read_are_chosen_for_by_a_snapshot_that_came_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_sender(tmp_path, frequency_caps=(CAP,)) as sender:
        frequency_caps = sender.edge.frequency_caps
        find = frequency_caps.find_cached

        async def found(*args: Any, **kwargs: Any) -> Any:
            pause_all(sender.edge)
            return await find(*args, **kwargs)

        monkeypatch.setattr(
            sender.edge, "frequency_caps", Watched(frequency_caps, find_cached=found)
        )
        prepared = await sender.prepare(recipients=PEOPLE[:1])

    assert prepared["filled"] == 0
