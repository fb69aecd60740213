"""The example application that opens windows of ours inside its own page, run as its readers run it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.customer import Customer

_HOST = Path(__file__).resolve().parents[3] / "clients" / "web" / "examples" / "embed-host"


@asynccontextmanager
async def hosting(customer: Customer) -> AsyncIterator[str]:
    """Its origin; it holds the customer's integration key for test."""
    environment = {
        "PLACARD_KEY": customer.text("ak_test"),
        "PLACARD_URL": str(customer.demo["control_url"]),
        "PORT": "0",
        "PATH": os.defpath,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(_HOST / "host.py"),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()
