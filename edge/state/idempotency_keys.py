"""
Idempotency keys of conversions. A client that repeats a key with another body gets an error, while Redis keeps the key.
A repeat with the same body needs no lookup: its conversion has the same id.
"""

import uuid
from hashlib import sha256
from typing import Final

import orjson

from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused
from common.values.ids import derived_id
from common.values.messages import Message
from edge.ports import TokenClaim, TokenKey, TokenStore, TokenStoreUnavailable, token_key_of

_KIND: Final = "idempotency"
_KEPT_S: Final = 86_400


class ReusedKeys:
    """Checks idempotency keys. Two simultaneous calls with one key and two bodies are both stored."""

    def __init__(self, tokens: TokenStore, environment: Environment) -> None:
        self._tokens = tokens
        self._environment = environment

    async def check(self, property_id: str, key: str | None, raw: bytes) -> bool:
        """
        Whether *key* came with *raw* in the last 24 hours. Raises `Refused` if it came with another body. Returns False
        while Redis is unavailable.
        """
        if key is None:
            return False
        try:
            came, came_so = await self._tokens.seen(self._counters(property_id, key, raw))
        except TokenStoreUnavailable:
            return False
        if came and not came_so:
            raise Refused(
                ErrorCode.IDEMPOTENCY_KEY_REUSED,
                Message(
                    "This Idempotency-Key was already used with a different body. Use a new key for a "
                    "new conversion."
                ),
            )
        return came_so

    async def record(self, property_id: str, key: str | None, raw: bytes) -> None:
        """Stores *key* with *raw*. Does nothing while Redis is unavailable."""
        if key is None:
            return
        claims: list[TokenClaim] = [
            (counter, _KEPT_S) for counter in self._counters(property_id, key, raw)
        ]
        try:
            await self._tokens.claim(claims)
        except TokenStoreUnavailable:
            return

    def _counters(self, property_id: str, key: str, raw: bytes) -> tuple[TokenKey, TokenKey]:
        """
        Token keys for the key alone, and for the key with this body. *raw* is JSON; its spacing and key order are
        ignored.
        """
        body = sha256(orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)).digest()
        parts = (self._environment.encode(), uuid.UUID(property_id).bytes, key.encode())
        alone = derived_id(0, b"conversion-key/v1", *parts)
        with_body = derived_id(0, b"conversion-key/v1", *parts, body)
        return token_key_of(alone, _KIND), token_key_of(with_body, _KIND)
