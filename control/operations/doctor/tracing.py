"""The doctor's check of the trace collector."""

import asyncio
from urllib.parse import urlsplit

from common.service.tracing import TracingInvalid, read_tracing
from control.operations.doctor.finding import Finding, error, ok, warning

_CALL_S = 3.0
_PORTS = {"http": 80, "https": 443}


async def check_tracing() -> list[Finding]:
    """Nothing where traces are off. A collector that is not there loses spans and nothing else: a warning."""
    try:
        settings = read_tracing()
    except TracingInvalid as failure:
        return [error("tracing.settings", f"{failure}", "Correct the OTEL_* variables.")]
    if settings is None:
        return []
    url = urlsplit(settings.endpoint)
    host, port = url.hostname or "", url.port or _PORTS[url.scheme]
    try:
        async with asyncio.timeout(_CALL_S):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError) as failure:
        text = f"The trace collector {host}:{port} cannot be reached: {failure or 'no response'}."
        remedy = "Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT. Until then spans are dropped."
        return [warning("tracing.collector", text, remedy)]
    writer.close()
    return [ok("tracing.collector", f"The trace collector {host}:{port} accepts connections.")]
