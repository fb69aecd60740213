"""The verification state stored in a property's row, as a value."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from common.values.clock import to_iso


class Method(StrEnum):
    DNS = "dns"
    HTML_TAG = "html_tag"


@dataclass(frozen=True, slots=True)
class DomainProof:
    """What must be published, and by which method; it belongs to one account, property and domain."""

    method: Method
    token: str


@dataclass(frozen=True, slots=True)
class VerificationState:
    """``requested``: the one to find. ``held``: the proof behind the status `verified`, re-checked every 30 days."""

    domain: str | None = None
    requested: DomainProof | None = None
    held: DomainProof | None = None
    checked_at: datetime | None = None
    last_error: str | None = None
    failing_since: datetime | None = None


def parse_state(column: dict[str, Any]) -> VerificationState:
    """Parse `PropertyRow.verification`."""
    return VerificationState(
        domain=column.get("domain"),
        requested=_proof(column.get("method"), column.get("token")),
        held=_proof(column.get("held_method"), column.get("held_token")),
        checked_at=_instant(column.get("checked_at")),
        last_error=column.get("last_error"),
        failing_since=_instant(column.get("failing_since")),
    )


def column_of(state: VerificationState) -> dict[str, Any]:
    requested, held = state.requested, state.held
    values = {
        "domain": state.domain,
        "method": requested and requested.method.value,
        "token": requested and requested.token,
        "held_method": held and held.method.value,
        "held_token": held and held.token,
        "checked_at": state.checked_at and to_iso(state.checked_at),
        "last_error": state.last_error,
        "failing_since": state.failing_since and to_iso(state.failing_since),
    }
    return {name: value for name, value in values.items() if value is not None}


def _proof(method: str | None, token: str | None) -> DomainProof | None:
    return DomainProof(Method(method), token) if method and token else None


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
