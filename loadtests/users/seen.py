"""Tokens whose impressions were reported and acknowledged, by a master's workers too: what the oracle looks for."""

from typing import Any
from uuid import UUID

from locust import events

from common.tracking.token import parse_token

_MAX = 200_000
"""Tokens; a longer run checks its last ones too, because every other one is replaced from then on."""
acknowledged: list[UUID] = []
_next = 0


def note_acknowledged(token: str) -> None:
    _keep(parse_token(token)[0].token_id)


def _keep(token_id: UUID) -> None:
    global _next  # noqa: PLW0603 - one list a process, as locust's own statistics
    if len(acknowledged) < _MAX:
        acknowledged.append(token_id)
        return
    acknowledged[_next] = token_id
    _next = (_next + 2) % _MAX


@events.report_to_master.add_listener  # type: ignore[untyped-decorator]  # locust has no types for it
def _send(data: dict[str, Any], **_: Any) -> None:
    data["acknowledged"] = [token_id.bytes for token_id in acknowledged]
    acknowledged.clear()


@events.worker_report.add_listener  # type: ignore[untyped-decorator]  # as above
def _receive(data: dict[str, Any], **_: Any) -> None:
    for token_id in data["acknowledged"]:
        _keep(UUID(bytes=token_id))
