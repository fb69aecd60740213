"""`control api`: the management API on its port, its metrics on the internal port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import structlog

from common.http.fd_limit import raise_fd_limit
from common.http.listen import listen
from common.service.background_tasks import background_tasks
from common.service.exposition import TraceCollector
from common.service.tracing import open_tracer, read_tracing
from common.user_agent.robots import prepare_robots
from common.user_agent.user_agent import prepare_browsers
from common.values.errors import Unavailable
from control.api.context import ControlContext
from control.api.health import ReadinessWatch
from control.api.last_used import SessionUse
from control.api.rate_limit_sync import share_rates
from control.api.tracing import ApiTracing
from control.events.events_api.fanout import EventStreams
from control.foundation.metrics import ConnectionCollector
from control.foundation.process_shell import internal_listener, spare_what_stays, until_stopped
from control.foundation.settings import ControlSettings
from control.processes.app import create_app
from control.wiring import open_control

_NOTE_S = 5.0
"""Pause between writes of `last_used_at`."""
_DRAIN_S = 5.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger("api")


async def run(settings: ControlSettings) -> None:
    """Runs until SIGTERM or SIGINT; open requests are finished first."""
    raise_fd_limit()
    prepare_robots()  # before the first sign-in, which parses a user agent
    prepare_browsers()
    tracing = read_tracing()
    async with (
        open_tracer(tracing, "placard-control") as tracer,
        open_control(settings) as control,
        serving(control) as port,
    ):
        if tracing is not None and tracer is not None:
            control.tracing = ApiTracing(tracer, tracing)
            control.metrics.registry.register(TraceCollector(tracer))
        spare_what_stays()
        _log.info("listening", host=settings.control_host, port=port)
        watch = ReadinessWatch(control)
        registry = control.metrics.registry
        async with (
            internal_listener(settings, "api", registry, lambda: watch.error),
            background_tasks(
                partial(_keep_notes, control), watch.run, partial(share_rates, control)
            ),
        ):
            await until_stopped(_wait())


@asynccontextmanager
async def serving(control: ControlContext) -> AsyncIterator[int]:
    """Serves the API while the block runs and yields the port. Raises OSError where the address cannot be bound."""
    settings = control.settings
    app = create_app(control)
    control.metrics.registry.register(ConnectionCollector(app.config.CONNECTIONS))
    try:
        listener = await listen(app, host=settings.control_host, port=settings.control_port)
    except OSError as error:
        message = f"{error.strerror}. Free the port, or name another in PLACARD_CONTROL_PORT."
        raise OSError(error.errno, message) from error
    try:
        yield listener.port
    finally:
        control.get(EventStreams).stop()
        await listener.close(drain_s=_DRAIN_S)
        with suppress(Unavailable):  # nothing depends on these notes
            await _write_notes(control)


async def _wait() -> None:
    await asyncio.Event().wait()


async def _keep_notes(control: ControlContext) -> None:
    while True:
        await asyncio.sleep(_NOTE_S)
        try:
            await _write_notes(control)
        except Unavailable:
            _log.warning("key_last_used_write_failed", reason="the database does not answer")


async def _write_notes(control: ControlContext) -> None:
    now = control.clock.now()
    await control.key_use.flush(control.database, now)
    await control.get(SessionUse).flush(control.database, now)
