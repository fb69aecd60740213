"""
Events as rows of the staging table, in PostgreSQL's binary `COPY` format.

In C where it was compiled (``rows.c``), with the same result. The driver would encode thirty values an event one by
one.
"""

import struct
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from common.privacy.person import PERSON_BYTES
from control.events.ingest.copy_encoding import NULL, pack_text, pack_verdict

if TYPE_CHECKING:
    from control.events.ingest.parsed_records import Event

_COLUMNS = 38
_POSTGRES_EPOCH_MS = 946_684_800_000
_LISTED = struct.Struct(">hi16si16siqiqiqiq")
_SIGNAL = struct.Struct(">hii16siqiqiqiq")
_NO_MONEY = NULL * 3
_PERSON_START = PERSON_BYTES.to_bytes(4, "big")


def pack_rows(events: Iterable["Event"], accounts: Mapping[str, str]) -> bytes:
    """
    The bytes of `COPY` between its header and its trailer, in the order of `control.events.ingest.staging_table`'s
    columns.

    *accounts* by property; raises KeyError where one is missing.
    """
    return b"".join([_pack(one, accounts) for one in events])


def _pack(event: "Event", accounts: Mapping[str, str]) -> bytes:
    event_id, account_id = event.id, accounts[event.shared_fields.property_id]
    rest = (
        *(16, event.token_id, 8, _since_epoch_us(event.at_ms), 8, _since_epoch_us(event.issued_ms)),
        *(8, event.charged_micros, 8, event.snapshot_version),
    )
    is_listed = event_id is not None
    start = (
        _LISTED.pack(_COLUMNS, 16, event_id, *rest)
        if is_listed
        else _SIGNAL.pack(_COLUMNS, -1, *rest)
    )
    return b"".join(
        (
            start,
            pack_verdict(event.reason, event.judge_version, event.live_reason),
            _pack_money(event),
            pack_text(event.country) + pack_text(event.device),
            NULL if event.person is None else _PERSON_START + event.person,
            event.network or NULL,
            _pack_client(event.client),
            event.agent,
            pack_text(account_id),
            event.shared_fields.packed,
        )
    )


def _since_epoch_us(instant_ms: int) -> int:
    """Microseconds since PostgreSQL's epoch."""
    return (instant_ms - _POSTGRES_EPOCH_MS) * 1000


def _pack_client(client: str | None) -> bytes:
    if client is None:
        return NULL
    raw = bytes.fromhex(client)
    return len(raw).to_bytes(4, "big") + raw


def _pack_money(event: "Event") -> bytes:
    if event.value_cents is None and event.currency is None and event.order_id is None:
        return _NO_MONEY
    value = NULL if event.value_cents is None else struct.pack(">iq", 8, event.value_cents)
    return value + pack_text(event.currency) + pack_text(event.order_id)
