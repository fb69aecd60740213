"""The public API description: writes the committed copy, checks that it is fresh, and serves it with real addresses."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from common.contract.edge import EDGE_OPERATIONS
from common.contract.openapi import build, encode
from common.contract.operation import Operation

COMMITTED = Path("docs/openapi.json")
_CONTROL_URL = "https://control.placard.example"
_EDGE_LIVE_URL = "https://edge.placard.example"
_EDGE_TEST_URL = "https://edge-test.placard.example"


def description(
    operations: Iterable[Operation],
    *,
    control_url: str = _CONTROL_URL,
    edge_live_url: str = _EDGE_LIVE_URL,
    edge_test_url: str = _EDGE_TEST_URL,
) -> bytes:
    """Returns the document of both planes: *operations* of the control plane, and the edge's."""
    document = build(
        [*operations, *EDGE_OPERATIONS],
        control_url=control_url,
        edge_live_url=edge_live_url,
        edge_test_url=edge_test_url,
    )
    return encode(document)


class PublishedDescription:
    """The document with the addresses of one deployment, built when it is first read: most processes never need it."""

    def __init__(
        self,
        operations: Iterable[Operation],
        *,
        control_url: str,
        edge_live_url: str,
        edge_test_url: str,
    ) -> None:
        self._operations = tuple(operations)
        self._urls = {
            "control_url": control_url,
            "edge_live_url": edge_live_url,
            "edge_test_url": edge_test_url,
        }
        self._document: asyncio.Future[bytes] | None = None

    async def read(self) -> bytes:
        """Building takes most of a second, which a thread spends, so that other calls go on."""
        if self._document is None:
            built = asyncio.to_thread(description, self._operations, **self._urls)
            self._document = asyncio.ensure_future(built)
        return await asyncio.shield(self._document)


def is_fresh(operations: Iterable[Operation]) -> bool:
    """Whether the committed copy equals the document of the current registry."""
    return COMMITTED.exists() and COMMITTED.read_bytes() == description(operations)


def write(operations: Iterable[Operation]) -> None:
    COMMITTED.parent.mkdir(exist_ok=True)
    COMMITTED.write_bytes(description(operations))
