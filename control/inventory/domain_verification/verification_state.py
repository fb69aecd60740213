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
    """``asked``: the requested proof. ``held``: the proof behind the status `verified`, re-checked every 30 days."""

    domain: str | None = None
    asked: DomainProof | None = None
    held: DomainProof | None = None
    checked_at: datetime | None = None
    last_error: str | None = None
    failing_since: datetime | None = None


NOTHING = VerificationState()


def parse_state(column: dict[str, Any]) -> VerificationState:
    """Parse `PropertyRow.verification`."""
    return VerificationState(
        domain=column.get("domain"),
        asked=_proof(column.get("method"), column.get("token")),
        held=_proof(column.get("held_method"), column.get("held_token")),
        checked_at=_instant(column.get("checked_at")),
        last_error=column.get("last_error"),
        failing_since=_instant(column.get("failing_since")),
    )


def column_of(standing: VerificationState) -> dict[str, Any]:
    asked, held = standing.asked, standing.held
    values = {
        "domain": standing.domain,
        "method": asked and asked.method.value,
        "token": asked and asked.token,
        "held_method": held and held.method.value,
        "held_token": held and held.token,
        "checked_at": standing.checked_at and to_iso(standing.checked_at),
        "last_error": standing.last_error,
        "failing_since": standing.failing_since and to_iso(standing.failing_since),
    }
    return {name: value for name, value in values.items() if value is not None}


def _proof(method: str | None, token: str | None) -> DomainProof | None:
    return DomainProof(Method(method), token) if method and token else None


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
