"""Passwords at rest: argon2id, computed in two threads of its own so that no event loop waits for it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from common.values.text import composed

_THREADS = 2
"""Bounds memory and processor: a flood of sign-ins queues here, other calls go on."""


class Passwords:
    """
    argon2id with OWASP's least recommended cost: 19 MiB, two passes. The same characters are the same password,
    however a keyboard composes them (RFC 8265, 4.2).
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
        """*stored* None (no such person) takes as long as a wrong password, and is False."""
        loop = asyncio.get_running_loop()
        matches = await loop.run_in_executor(
            self._threads, self._matches, stored or self._nobody, composed(password)
        )
        return matches and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether *stored* was made at another cost than today's: hash anew where the password is at hand."""
        return self._hasher.check_needs_rehash(stored)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
