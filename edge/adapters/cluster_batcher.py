"""A `RedisBatcher` for each node of a Redis Cluster, so that a node that does not respond delays only its own keys."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ClusterDownError, ResponseError

from common.service.redis_client import answering
from common.service.redis_cluster import (
    MAX_REDIRECTIONS,
    REDIRECTIONS,
    Address,
    ClusterRedis,
    slot_of,
)
from common.values.clock import Clock
from edge.adapters.redis_batcher import Call, Late, RedisBatcher


class ClusterBatcher:
    """
    The interface and the arguments of `RedisBatcher`. Each node has its own pipeline, its own wait and its own backoff.

    A redirection is followed within the caller's wait. A failure of a node begins a search for its successor.
    """

    def __init__(
        self,
        cluster: ClusterRedis,
        clock: Clock,
        *,
        unavailable: type[Exception],
        call_s: float,
        wait_s: float | None = None,
        max_wait_s: float | None = None,
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._unavailable = unavailable
        self._call_s = call_s
        self._min_wait_s = call_s if wait_s is None else wait_s
        self._max_wait_s = max_wait_s or self._min_wait_s
        self._nodes: dict[Address, _NodeBatcher] = {}
        self._known: frozenset[Address] = frozenset()
        """The primaries for which there are pipelines."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def wait_s(self) -> float:
        """How long a caller waits now for the slowest node."""
        return max((one.wait_s for one in self._nodes.values()), default=self._max_wait_s)

    async def call(
        self, *arguments: Any, wait_s: float | None = None, late: Late | None = None
    ) -> Any:
        """The response. *wait_s*: overrides the node's usual wait. Raises the exception ``unavailable``."""
        begun_s = self._clock.monotonic_s()
        slot = slot_of(arguments)
        if slot is None:
            raise ValueError(f"{arguments[0]} has no key, which selects the node")
        address, is_asking = self._cluster.known_owner(slot), False
        if address is None:
            async with answering(wait_s or self._max_wait_s, self._unavailable):
                address = await self._cluster.find_owner(slot)
        if self._known is not self._cluster.primaries:
            self._adopt()
        for _ in range(MAX_REDIRECTIONS):
            node = self._node(address)
            limit_s = node.wait_s if wait_s is None else wait_s
            left_s = begun_s + limit_s - self._clock.monotonic_s()
            if is_asking:
                # Both are queued before any other command, and one connection sends them in this order.
                _, answer = await asyncio.gather(
                    node.call("ASKING", wait_s=left_s),
                    node.call(*arguments, wait_s=left_s, late=late),
                )
            else:
                answer = await node.call(*arguments, wait_s=left_s, late=late)
            if not isinstance(answer, ResponseError):
                return answer
            if not isinstance(answer, REDIRECTIONS):
                self._cluster.refresh_soon(address)
                break
            async with answering(max(left_s, 0), self._unavailable):
                address, is_asking = await self._cluster.redirect(slot, address, answer)
        raise self._unavailable(f"Redis: {answer}")

    def is_resting(self, *arguments: Any) -> bool:
        """Whether the node of this command's key is in a backoff, so that the command would not be sent."""
        slot = slot_of(arguments)
        address = None if slot is None else self._cluster.known_owner(slot)
        return address in self._nodes and self._nodes[address].is_resting

    async def close(self) -> None:
        await asyncio.gather(*self._tasks, *(one.close() for one in self._nodes.values()))
        await self._cluster.aclose()

    def _adopt(self) -> None:
        """
        Connects to all primaries, because that takes longer than a serve call may wait, and drops the pipelines of
        former ones.
        """
        self._known = self._cluster.primaries
        for address in self._nodes.keys() - self._known:
            self._begin(self._nodes.pop(address).close())
        for address in self._known - self._nodes.keys():
            self._begin(self._connect(self._node(address)))

    async def _connect(self, node: "_NodeBatcher") -> None:
        try:
            await node.call("PING", wait_s=self._call_s)
        except self._unavailable:
            return  # The first call connects, once the node responds.

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _node(self, address: Address) -> "_NodeBatcher":
        found = self._nodes.get(address)
        if found is None:
            found = self._nodes[address] = _NodeBatcher(
                self._cluster.node(address),
                self._clock,
                unavailable=self._unavailable,
                call_s=self._call_s,
                wait_s=self._min_wait_s,
                max_wait_s=self._max_wait_s,
                failed=partial(self._cluster.refresh_soon, address),
            )
        return found


class _NodeBatcher(RedisBatcher):
    """Returns redirections as responses of their commands."""

    _returned = (*REDIRECTIONS, ClusterDownError)

    def __init__(
        self, redis: Redis, clock: Clock, *, failed: Callable[[], None], **limits: Any
    ) -> None:
        super().__init__(redis, clock, **limits)
        self._failed = failed

    def _fail(self, calls: list[Call], error: Exception) -> None:
        super()._fail(calls, error)
        self._failed()


def open_batcher(
    redis: Redis,
    clock: Clock,
    *,
    unavailable: type[Exception],
    call_s: float,
    wait_s: float | None = None,
    max_wait_s: float | None = None,
) -> RedisBatcher | ClusterBatcher:
    """That of *redis*, a server or a cluster, with the arguments of `RedisBatcher`."""
    if isinstance(redis, ClusterRedis):
        return ClusterBatcher(
            redis,
            clock,
            unavailable=unavailable,
            call_s=call_s,
            wait_s=wait_s,
            max_wait_s=max_wait_s,
        )
    return RedisBatcher(
        redis,
        clock,
        unavailable=unavailable,
        call_s=call_s,
        wait_s=wait_s,
        max_wait_s=max_wait_s,
    )
