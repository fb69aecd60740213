"""Any event is packed by the extension as by its specification, or refused by both."""

from types import SimpleNamespace
from typing import Any, Final

from common.tracking.event import TokenKeys
from common.values.enums import Reason
from control.events.ingest.parsed_records import Event
from tests.support.source import source_of

_specification = source_of("control.events.ingest.rows")
_PROPERTY: Final = "00000000-0000-7000-8000-000000000001"
_ACCOUNTS: Final = {_PROPERTY: "00000000-0000-7000-8000-0000000000aa"}
_KEYS: Final = TokenKeys(b"start", b"end", b"valid")
_REASONS: Final = tuple(Reason)


class _Input:
    """Values from the bytes of an input, and zeros after their end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        self._at += count
        return taken.ljust(count, b"\0")

    def below(self, end: int) -> int:
        return self.take(1)[0] % end

    def number(self) -> int:
        return int.from_bytes(self.take(self.below(10)), "little", signed=True)

    def some(self) -> bytes:
        return self.take(self.below(40))

    def text(self) -> str | None:
        """Sometimes with a half of a surrogate pair, which UTF-8 cannot write."""
        return self.some().decode(errors="surrogateescape") if self.below(2) else None

    def hexadecimal(self) -> str | None:
        """Sometimes of an odd length, or with a letter that is none of its digits."""
        kind = self.below(4)
        if kind == 0:
            return None
        return self.some().hex() + ("", "a", "xy")[kind - 1]


def _event(given: _Input) -> Event:
    shared_fields: Any = SimpleNamespace(
        is_listed=bool(given.below(2)),
        property_id=_PROPERTY if given.below(16) else "unknown",
        packed=given.some(),
        keys=_KEYS,
    )
    writer: Any = SimpleNamespace(keys=SimpleNamespace(key=lambda number: b"%d" % number))
    reason = _REASONS[given.below(len(_REASONS))]
    return Event(
        *(0, 0, b"", writer, 0, shared_fields),
        token_id=given.take(16),
        issued_ms=abs(given.number()) % (1 << 44),
        at_ms=given.number(),
        snapshot_version=given.number(),
        client=given.hexadecimal(),
        value_cents=given.number() if given.below(2) else None,
        currency=given.text(),
        order_id=given.text(),
        country=given.text(),
        device=given.text(),
        person=given.take(8) if given.below(2) else None,
        network=given.some() if given.below(2) else None,
        agent=given.some(),
        judged=reason,
        judge_version=given.number(),
        valid=bool(given.below(2)),
        live_reason=reason if given.below(2) else None,
        reason=reason,
        charged_micros=given.number(),
    )


def _packed(pack_rows: Any, data: bytes) -> bytes | None:
    given = _Input(data)
    events = [_event(given) for _ in range(given.below(3))]
    try:
        rows: bytes = pack_rows(events, _ACCOUNTS)
    except Exception:  # noqa: BLE001 - which exception is the interpreter's choice; that there is one is compared
        return None
    return rows


def check(extension: Any, data: bytes) -> None:
    assert _packed(extension.pack_rows, data) == _packed(_specification.pack_rows, data)
