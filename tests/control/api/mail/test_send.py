"""Mails leave once they are committed, are tried again while nobody takes them, and are given up in the end."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest
from sqlalchemy import select, text
from sqlmodel import col

from control.api.mail.jobs import sweep_mails
from control.api.mail.kinds import MailKind
from control.api.mail.outbox import queue_mail
from control.api.mail.send import LEASE, TRIED_FOR, pause_after, send_due_mails
from control.ports.mail import Mail, MailRefused, MailUnavailable
from control.storage.tables.mails import MailRow
from tests.support.control_api import ControlApi
from tests.support.moved_clock import MovedClock
from tests.support.waiting_jobs import work_waits


class Post:
    """A mailer that keeps accepted mails, and fails on request."""

    def __init__(self) -> None:
        self.taken: list[tuple[Mail, str]] = []
        self.tries = 0
        self.failure: Exception | None = None
        self.hangs = False
        self.began = asyncio.Event()

    async def send(self, mail: Mail, *, message_id: str) -> None:
        self.tries += 1
        self.began.set()
        await (asyncio.Event().wait() if self.hangs else asyncio.sleep(0))
        if self.failure is not None:
            raise self.failure
        self.taken.append((mail, message_id))

    async def check(self) -> None:
        """Nothing here asks for it."""

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def post(api: ControlApi) -> Post:
    """Every test finds an empty queue."""
    async with api.control.database.service() as session:
        await session.execute(text("delete from mails"))
    api.control.mailer = post = Post()
    return post


async def _queue(api: ControlApi, to: str = "ana@acme.example") -> str:
    async with api.control.database.service() as session:
        return queue_mail(
            session,
            Mail(to=to, subject="Hello", text="A secret link"),
            kind=MailKind.INVITATION,
            account_id=None,
            keys=api.control.keys,
            now=api.control.clock.now(),
        )


async def _row(api: ControlApi, mail_id: str) -> MailRow:
    async with api.control.database.service() as session:
        return await session.get_one(MailRow, mail_id)


@pytest.mark.usefixtures("clock")
async def test_a_queued_mail_is_sent_once(api: ControlApi, post: Post) -> None:
    mail_id = await _queue(api)
    assert await work_waits(api.control, send_due_mails)
    await send_due_mails(api.control)
    await send_due_mails(api.control)

    assert post.taken == [
        (Mail("ana@acme.example", "Hello", "A secret link"), f"<{mail_id}@localhost>")
    ]
    assert (await _row(api, mail_id)).sent_at is not None


@pytest.mark.usefixtures("clock")
async def test_queued_mails_are_stored_encrypted(api: ControlApi, post: Post) -> None:
    mail_id = await _queue(api)

    stored = await _row(api, mail_id)
    assert "secret" not in stored.sealed
    assert "ana" not in stored.sealed
    assert post.tries == 0


@pytest.mark.usefixtures("clock")
async def test_a_mail_of_a_failed_transaction_is_never_sent(api: ControlApi, post: Post) -> None:
    async with api.control.database.service() as session:
        queue_mail(
            session,
            Mail("ana@acme.example", "Hello", "x"),
            kind=MailKind.INVITATION,
            account_id=None,
            keys=api.control.keys,
            now=api.control.clock.now(),
        )
        await session.flush()
        await session.rollback()

    await send_due_mails(api.control)
    assert post.tries == 0


@pytest.mark.usefixtures("clock")
async def test_many_senders_at_once_send_each_mail_once(api: ControlApi, post: Post) -> None:
    for number in range(25):
        await _queue(api, f"reader{number}@acme.example")
    await asyncio.gather(*(send_due_mails(api.control) for _ in range(4)))

    assert len(post.taken) == len({mail.to for mail, _ in post.taken}) == 25


async def test_a_mail_that_is_not_accepted_is_retried_with_backoff(
    api: ControlApi, post: Post, clock: MovedClock
) -> None:
    mail_id = await _queue(api)
    post.failure = MailUnavailable("451 later")
    for expected in (timedelta(seconds=30), timedelta(seconds=60)):
        await send_due_mails(api.control)
        row = await _row(api, mail_id)
        assert row.last_error == "451 later"
        assert timedelta() < row.due_at - clock.now() <= expected
        clock.advance(expected)

    post.failure = None
    await send_due_mails(api.control)
    assert (await _row(api, mail_id)).sent_at is not None
    assert post.tries == 3


def test_pauses_double_up_to_six_hours() -> None:
    pauses = [pause_after(attempts) for attempts in range(1, 100)]

    assert pauses[0] == timedelta(seconds=30)
    assert max(pauses) == timedelta(hours=6)
    assert all(earlier <= later for earlier, later in pairwise(pauses))


async def test_a_mail_that_is_not_accepted_is_given_up_after_three_days(
    api: ControlApi, post: Post, clock: MovedClock
) -> None:
    mail_id = await _queue(api)
    post.failure = MailUnavailable("451 later")
    while (await _row(api, mail_id)).failed_at is None:
        await send_due_mails(api.control)
        clock.advance(timedelta(hours=1))

    row = await _row(api, mail_id)
    tried_for = (row.failed_at or row.created_at) - row.created_at
    assert timedelta(days=2, hours=12) < tried_for <= TRIED_FOR
    assert 12 < row.attempts < 25


@pytest.mark.usefixtures("clock")
async def test_a_refused_mail_is_never_tried_again(api: ControlApi, post: Post) -> None:
    mail_id = await _queue(api)
    post.failure = MailRefused("550 no such mailbox")
    await send_due_mails(api.control)
    await send_due_mails(api.control)

    row = await _row(api, mail_id)
    assert (post.tries, row.last_error) == (1, "550 no such mailbox")
    assert row.failed_at is not None


async def test_an_error_of_the_mailer_does_not_delay_other_mails(
    api: ControlApi, post: Post, clock: MovedClock
) -> None:
    mail_id = await _queue(api)
    post.failure = KeyError("a bug")
    await send_due_mails(api.control)
    assert (await _row(api, mail_id)).last_error == "KeyError: 'a bug'"

    post.failure = None
    clock.advance(timedelta(seconds=30))
    await send_due_mails(api.control)
    assert len(post.taken) == 1


@pytest.mark.usefixtures("clock")
async def test_a_mail_that_cannot_be_decrypted_does_not_delay_other_mails(
    api: ControlApi, post: Post
) -> None:
    broken = await _queue(api)
    async with api.control.database.service() as session:
        await session.execute(
            text("update mails set sealed = 'k9.AAAA' where id = :id"), {"id": broken}
        )
    await _queue(api, "next@acme.example")
    await send_due_mails(api.control)

    assert [mail.to for mail, _ in post.taken] == ["next@acme.example"]
    assert (await _row(api, broken)).failed_at is not None


async def test_a_sender_that_died_is_followed_by_another_with_the_same_identity(
    api: ControlApi, post: Post, clock: MovedClock
) -> None:
    mail_id = await _queue(api)
    post.hangs = True
    sender = asyncio.create_task(send_due_mails(api.control))
    await post.began.wait()
    sender.cancel()
    await asyncio.wait({sender})
    post.hangs = False
    await send_due_mails(api.control)
    assert post.taken == []

    clock.advance(LEASE)
    await send_due_mails(api.control)
    assert [message_id for _, message_id in post.taken] == [f"<{mail_id}@localhost>"]


async def test_sent_mails_are_deleted_after_thirty_days(
    api: ControlApi, post: Post, clock: MovedClock
) -> None:
    await _queue(api)
    await send_due_mails(api.control)
    waiting = await _queue(api, "later@acme.example")
    clock.advance(timedelta(days=31))
    await sweep_mails(api.control)

    async with api.control.database.service() as session:
        kept = (await session.scalars(select(col(MailRow.id)))).all()
    assert kept == [waiting]
    assert len(post.taken) == 1


@pytest.mark.usefixtures("clock")
async def test_outcomes_are_counted(api: ControlApi, post: Post) -> None:
    def count(outcome: str) -> float:
        labels = {"kind": "invitation", "outcome": outcome}
        value = api.control.metrics.registry.get_sample_value("placard_mails_total", labels)
        return value or 0.0

    before = count("sent"), count("given_up")
    await _queue(api)
    await send_due_mails(api.control)
    post.failure = MailRefused("550")
    await _queue(api)
    await send_due_mails(api.control)

    assert (count("sent"), count("given_up")) == (before[0] + 1, before[1] + 1)
    assert api.control.metrics.registry.get_sample_value("placard_mails_waiting") == 0
