"""PostgreSQL under Patroni alone: a primary that stood still does not come back as one."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from common.service.internal_tls import InternalTls
from tests.fleet.fleet import Fleet, begin
from tests.fleet.network import network
from tests.fleet.servers import install_programs, make_etcd, make_postgres
from tests.support.certificates import Authority
from tests.support.waiting import until

pytestmark = pytest.mark.fleet

_CALM_S = 5.0
"""Patroni's loop takes two seconds."""


@pytest.fixture
def servers() -> Iterator[Fleet]:
    install_programs()
    folder = Path(tempfile.mkdtemp(prefix="plf-", dir="/tmp"))
    folder.chmod(0o711)
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        found = ending.enter_context(network(("a", "b", "c")))
        authority = Authority(folder)
        operator = InternalTls(authority.file, *authority.issue("operator"))
        fleet = Fleet(found, folder, {}, operator.open_client())
        zones = found.zones
        begin(fleet, ending, [*make_etcd(zones, folder), *make_postgres(zones[:2], zones, folder)])
        yield fleet


async def test_a_primary_that_was_frozen_becomes_the_standby_of_its_successor(
    servers: Fleet,
) -> None:
    await until(servers.has_standby)
    former = await servers.primary("postgres")
    servers.units[former].freeze()
    try:
        await until(partial(_has_another, servers, former))
        successor = await servers.primary("postgres")
    finally:
        servers.units[former].thaw()
    await asyncio.sleep(_CALM_S)
    await until(servers.has_standby)
    assert await servers.primary("postgres") == successor != former


async def _has_another(servers: Fleet, former: str) -> bool:
    return await servers.primary("postgres") != former
