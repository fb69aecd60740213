"""The extensions find the same parts in untrusted bytes as their specifications do."""

import hmac
from types import ModuleType
from typing import Any

from tests.support.source import source_of

_head = source_of("edge.fastpath.serve_cache.head_parts")
_record = source_of("control.events.ingest.scan")
_MAX_HEAD_BYTES = 8192
"""The extension leaves longer heads to the slow path; its specification has no bound."""


def check_head(extension: Any, data: bytes) -> None:
    found = extension.split_head(data, 0, len(data))
    if len(data) <= _MAX_HEAD_BYTES and data.startswith(_head.START):
        assert found == _head.split_head(data, 0, len(data))


def check_record(extension: Any, data: bytes) -> None:
    assert extension.scan(data) == _record.scan(data)


def check_token_mac(extension: ModuleType, data: bytes) -> None:
    """The first byte is the length of the key."""
    length = data[0] if data else 0
    key, raw = data[1 : 1 + length], data[1 + length :]
    assert extension.mac(extension.prepare_key(key), raw) == hmac.digest(key, raw, "sha512")
