"""One process leads at a time, and another takes over when it ends or hangs."""

import asyncio
import sys
from contextlib import suppress
from signal import SIGCONT, SIGKILL, SIGSTOP
from subprocess import PIPE

import asyncpg
import pytest

from control.storage.leader_election import Leadership, LeaderState, lead
from tests.control.delivery.snapshot_publishing.waiting import until, within
from tests.support.servers import PostgresServer
from tests.support.waiting import PATIENCE_S

_OTHER = """
import asyncio, sys
from control.storage.leader_election import Leadership, lead

async def body():
    print("leading", flush=True)
    try:
        await asyncio.sleep(3600)
    finally:
        print("stopped", flush=True)

asyncio.run(lead(sys.argv[1], Leadership.WORK, body, on_change=lambda *_: None))
"""


class Candidate:
    def __init__(self, url: str, *, listen: tuple[str, asyncio.Event] | None = None) -> None:
        self.states: list[LeaderState] = []
        self.leads = asyncio.Event()
        self._task = asyncio.ensure_future(
            lead(url, Leadership.WORK, self._body, on_change=self.states.append, listen=listen)
        )

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    @property
    def stands_by(self) -> bool:
        return self.states == [LeaderState.STANDBY]

    async def _body(self) -> None:
        self.leads.set()
        try:
            await asyncio.sleep(3600)
        finally:
            self.leads.clear()


async def test_the_second_leads_when_the_first_has_ended(database_url: str) -> None:
    first = Candidate(database_url)
    await within(first.leads)
    second = Candidate(database_url)
    await until(lambda: second.stands_by)
    assert not second.leads.is_set()
    await first.stop()
    await within(second.leads)
    await second.stop()


async def test_a_leader_whose_session_is_ended_stops_and_competes_again(
    database_url: str, postgres_server: PostgresServer
) -> None:
    candidate = Candidate(database_url)
    await within(candidate.leads)
    postgres_server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'placard leader'"
    )
    await until(lambda: LeaderState.DISCONNECTED in candidate.states)
    await within(candidate.leads)
    await candidate.stop()
    assert candidate.states == [
        *(LeaderState.STANDBY, LeaderState.LEADER, LeaderState.DISCONNECTED),
        *(LeaderState.STANDBY, LeaderState.LEADER, LeaderState.DISCONNECTED),
    ]


async def test_the_leader_receives_notifications(database_url: str) -> None:
    notified = asyncio.Event()
    candidate = Candidate(database_url, listen=("news", notified))
    await within(candidate.leads)
    other = await asyncpg.connect(database_url)
    await other.execute("notify news")
    await within(notified)
    await other.close()
    await candidate.stop()


@pytest.mark.parametrize("fault", [SIGKILL, SIGSTOP])
async def test_another_process_leads_when_the_leader_dies_or_hangs(
    database_url: str, fault: int
) -> None:
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _OTHER, database_url, stdout=PIPE, stderr=PIPE
    )
    assert other.stdout is not None
    try:
        await _says(other.stdout, b"leading\n")
        candidate = Candidate(database_url)
        await until(lambda: candidate.stands_by)
        other.send_signal(fault)
        await within(candidate.leads)
        if fault == SIGSTOP:
            other.send_signal(SIGCONT)
            await _says(other.stdout, b"stopped\n")
            assert candidate.leads.is_set()
        await candidate.stop()
    finally:
        with suppress(ProcessLookupError):
            other.kill()
        await other.communicate()


async def test_a_failing_body_ends_the_leading(database_url: str) -> None:
    async def body() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await lead(database_url, Leadership.WORK, body, on_change=lambda *_: None)


async def _says(stream: asyncio.StreamReader, line: bytes) -> None:
    """Among its log lines."""
    async with asyncio.timeout(PATIENCE_S):
        while await stream.readline() != line:
            assert not stream.at_eof()
