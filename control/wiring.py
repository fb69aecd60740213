"""The one place that builds what a process of the control plane shares. Nothing is connected before it is used."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.clock import SystemClock
from control.adapters.dns_resolver import DnsResolver
from control.adapters.guarded_fetcher import GuardedFetcher
from control.context import ControlContext
from control.database import Database
from control.nameservers import parse_nameservers
from control.settings import ControlSettings


@asynccontextmanager
async def open_control(settings: ControlSettings) -> AsyncIterator[ControlContext]:
    """Raises `KeyFileInvalid` where the key file cannot be read; a database that is away is found at first use."""
    resolver = DnsResolver(
        parse_nameservers(settings.resolvers), timeout_s=settings.resolver_timeout_s
    )
    control = ControlContext(
        settings=settings,
        clock=SystemClock(),
        database=Database(settings.database_url),
        keys=settings.key_ring(),
        resolver=resolver,
        fetcher=GuardedFetcher(
            resolver, user_agent=f"PlacardVerification/1.0 (+{settings.control_url})"
        ),
    )
    try:
        yield control
    finally:
        control.passwords.close()
        await control.database.close()
