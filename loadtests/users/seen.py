"""Tokens whose impressions this process reported and the edge acknowledged: what the oracle looks for."""

from uuid import UUID

from common.tracking.token import parse_token

_MAX = 200_000
"""Tokens; a longer run checks its last ones too, because every other one is replaced from then on."""
acknowledged: list[UUID] = []
_next = 0


def note_acknowledged(token: str) -> None:
    global _next  # noqa: PLW0603 - one list a process, as locust's own statistics
    token_id = parse_token(token)[0].token_id
    if len(acknowledged) < _MAX:
        acknowledged.append(token_id)
        return
    acknowledged[_next] = token_id
    _next = (_next + 2) % _MAX
