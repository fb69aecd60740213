"""Password hashing with argon2id, in a pool of two threads, so that it does not block the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from common.values.text import composed

_THREADS = 2
"""Bounds memory and CPU use: a flood of sign-ins queues here while other requests go on."""


class Passwords:
    """
    Hashes with argon2id at the lowest cost that OWASP recommends: 19 MiB, two passes.

    Passwords are normalized, so equal characters match however a keyboard composes them (RFC 8265, 4.2).
    """

    def __init__(self, *, time_cost: int = 2, memory_cost_kib: int = 19_456) -> None:
        self._hasher = PasswordHasher(
            time_cost=time_cost, memory_cost=memory_cost_kib, parallelism=1
        )
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="password")
        self._nobody = self._hasher.hash("nobody has this password")

    async def hash(self, password: str) -> str:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._hasher.hash, composed(password))

    async def verify(self, stored: str | None, password: str) -> bool:
        """Returns False where *stored* is None (no such user), in the same time as for a wrong password."""
        loop = asyncio.get_running_loop()
        matches = await loop.run_in_executor(
            self._threads, self._matches, stored or self._nobody, composed(password)
        )
        return matches and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether *stored* was hashed at another cost than the current one; then rehash at the next sign-in."""
        return self._hasher.check_needs_rehash(stored)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
