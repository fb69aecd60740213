"""
A client of a Redis Cluster with the interface of `redis.asyncio.Redis`: it sends each command to the node of its key.

The library's own cluster client is not used (ADR 89): it sends ASKING over another connection than the command, closes
the connections to all nodes after one node's error, waits a quarter of a second then, and finds no new primary where a
frozen one makes callers stop waiting.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final, TypeVar

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline, PubSub
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, RedisError, TryAgainError
from redis.exceptions import ConnectionError as RedisConnectionError

Address = tuple[str, int]
T = TypeVar("T")

REDIRECTIONS: Final = (AskError, MovedError, TryAgainError)
"""Responses that state where a command belongs, or that its keys are being moved. It was not run."""
MAX_REDIRECTIONS: Final = 16
_NODE_S: Final = 1.0
"""Time for each node that is asked for the slots, of which the next is asked then."""
_REFRESH_S: Final = 0.5
"""The shortest time between two searches that failures of nodes cause."""
_AGAIN_S: Final = 0.01
_KEYLESS: Final = frozenset({"CLUSTER INFO", "ECHO", "INFO", "PING", "PUBLISH", "TIME"})
_FIRST_IS_KEY: Final = frozenset(
    {
        "DEL",
        "EXISTS",
        "EXPIRE",
        "GET",
        "HDEL",
        "HGET",
        "HGETALL",
        "HLEN",
        "HSET",
        "MGET",
        "PERSIST",
        "PEXPIRE",
        "PTTL",
    }
    | {"SET", "TTL", "XADD", "XLEN", "XRANGE", "XREVRANGE", "XTRIM"}
)


class ClusterRedis(Redis):
    """
    *addresses*: of some nodes; the others are found. *open_node*: returns a client that connects on first use.

    Each call belongs inside `answering`: redirections are followed until its time is over. A pipeline's keys must have
    the same hash slot. Only commands that the processes use are known; others raise ValueError.
    """

    def __init__(self, addresses: Iterable[Address], open_node: Callable[[Address], Redis]) -> None:
        self._given = tuple(addresses)
        self._open_node = open_node
        self._clients: dict[Address, Redis] = {}
        self._order = list(self._given)
        """Nodes in the order in which they are asked for the slots. One that failed is asked last."""
        self._owners: list[Address | None] = []
        """The primary of each hash slot; empty before the first search."""
        self.primaries: frozenset[Address] = frozenset()
        """Of all slots; empty before the first search."""
        self._subscriptions = 0
        self._search: asyncio.Task[None] | None = None
        self._searched_s = float("-inf")
        self._closing: set[asyncio.Task[None]] = set()
        super().__init__(connection_pool=self.node(self._given[0]).connection_pool)

    def node(self, address: Address) -> Redis:
        """The client of one node."""
        found = self._clients.get(address)
        if found is None:
            found = self._clients[address] = self._open_node(address)
        return found

    def known_owner(self, slot: int) -> Address | None:
        """None before the first search, and where no node has the slot."""
        return self._owners[slot] if self._owners else None

    async def find_owner(self, slot: int) -> Address:
        """Waits only before the first search is over. Raises a `RedisError` where no node responds, or has the slot."""
        if not self._owners:
            await self.search()
        owner = self._owners[slot]
        if owner is None:
            self.refresh_soon()
            raise RedisConnectionError(f"no node of the cluster holds the hash slot {slot}")
        return owner

    async def search(self) -> None:
        """
        Reads the slots from the first node that responds, in a task that all callers share: one that stops waiting does
        not end it. Raises a `RedisError` where no node responds.
        """
        if self._search is None or self._search.done():
            self._search = asyncio.create_task(self._read_slots())
            self._search.add_done_callback(_note_failure)
        await asyncio.shield(self._search)

    def refresh_soon(self, failed: Address | None = None) -> None:
        """
        Begins a search without waiting for it, unless one is running or only just began. *failed*: a node that is asked
        last, because what it knows may be old.
        """
        if failed in self._order:
            self._order.remove(failed)
            self._order.append(failed)
        loop = asyncio.get_running_loop()
        if loop.time() - self._searched_s >= _REFRESH_S and (
            self._search is None or self._search.done()
        ):
            self._search = loop.create_task(self._read_slots())
            self._search.add_done_callback(_note_failure)

    async def redirect(self, slot: int, asked: Address, error: RedisError) -> tuple[Address, bool]:
        """
        The node to which the response *error* of the node *asked* leads, and whether the command needs ASKING there.
        *error*: one of `REDIRECTIONS`.
        """
        if not isinstance(error, AskError):
            await asyncio.sleep(_AGAIN_S)
            return await self.find_owner(slot), False
        found = (error.host or asked[0], error.port)
        if not isinstance(error, MovedError):
            return found, True
        if self._owners:
            self._owners[slot] = found
        self.refresh_soon()
        return found, False

    async def execute_command(self, *arguments: Any, **options: Any) -> Any:
        async def send(node: Redis, is_asking: bool) -> Any:  # noqa: FBT001 - of `_follow`
            if not is_asking:
                return await node.execute_command(*arguments, **options)  # type: ignore[no-untyped-call]
            pipe = node.pipeline(transaction=False)
            pipe.execute_command("ASKING")
            pipe.execute_command(*arguments, **options)
            return (await pipe.execute())[-1]

        return await self._follow(slot_of(arguments), send)

    async def run_pipeline(
        self, commands: list[tuple[Any, Any]], *, is_transaction: bool, raises: bool
    ) -> list[Any]:
        """
        *commands*: arguments and options; their keys have one slot. *raises*: the first error among the responses is
        raised. The responses of a transaction that ASK redirects are not parsed.
        """
        slots = {slot for arguments, _ in commands if (slot := slot_of(arguments)) is not None}
        if len(slots) != 1:
            raise ValueError("the keys of a pipeline have different hash slots, or it has no keys")

        async def send(node: Redis, is_asking: bool) -> list[Any]:  # noqa: FBT001 - of `_follow`
            if is_transaction and is_asking:
                return await _run_asking(node, commands)
            pipe = node.pipeline(transaction=is_transaction)
            for arguments, options in commands:
                pipe.execute_command(*arguments, **options)
            answers = await pipe.execute(raise_on_error=is_transaction)
            keyed = [
                one
                for one, (words, _) in zip(answers, commands, strict=True)
                if slot_of(words) is not None
            ]
            if isinstance(keyed[0], ClusterDownError) or all(
                isinstance(one, MovedError) for one in keyed
            ):
                raise keyed[0]
            return answers

        answers = await self._follow(slots.pop(), send)
        for place, (arguments, options) in enumerate(commands):
            if isinstance(answers[place], REDIRECTIONS):
                answers[place] = await self.execute_command(*arguments, **options)
            elif raises and isinstance(answers[place], RedisError):
                raise answers[place]
        return answers

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:  # noqa: ARG002, FBT001, FBT002 - the library's
        return _ClusterPipeline(self, transaction=transaction)

    def pubsub(self, **arguments: Any) -> PubSub:
        """Of another node with each call: every node receives what is published at any."""
        self.refresh_soon()
        self._subscriptions += 1
        address = self._order[self._subscriptions % len(self._order)]
        return self.node(address).pubsub(**arguments)

    async def aclose(self, close_connection_pool: bool | None = None) -> None:  # noqa: ARG002, FBT001 - the library's
        if self._search is not None:
            self._search.cancel()
            with suppress(asyncio.CancelledError, RedisError):
                await self._search
        clients, self._clients = self._clients, {}
        await asyncio.gather(*(one.aclose() for one in clients.values()), *self._closing)

    async def _follow(self, slot: int | None, send: Callable[[Redis, bool], Awaitable[T]]) -> T:
        """*slot*: None for a command that any node runs."""
        if not self._owners:
            await self.search()
        is_asking, count = False, 0
        address = min(self.primaries) if slot is None else await self.find_owner(slot)
        while count < MAX_REDIRECTIONS:
            try:
                return await send(self.node(address), is_asking)
            except REDIRECTIONS as error:
                count += not isinstance(error, TryAgainError)
                address, is_asking = await self.redirect(slot or 0, address, error)
            except ClusterDownError as error:
                self.refresh_soon(address)
                raise RedisConnectionError(f"the cluster does not work: {error}") from error
            except (RedisConnectionError, OSError, asyncio.CancelledError):
                self.refresh_soon(address)
                raise
        raise RedisConnectionError("the nodes of the cluster redirect a command without end")

    async def _read_slots(self) -> None:
        self._searched_s = asyncio.get_running_loop().time()
        failure: Exception | None = None
        for address in tuple(self._order):
            try:
                async with asyncio.timeout(_NODE_S):
                    found = await self.node(address).execute_command("CLUSTER SLOTS")  # type: ignore[no-untyped-call]
                self._owners = _owners_of(found, address)
                self.primaries = frozenset(one for one in self._owners if one is not None)
            except (RedisError, OSError, TimeoutError, ValueError) as error:
                failure = error
                self._order.remove(address)
                self._order.append(address)
            else:
                self._close_others()
                return
        reason = str(failure) or f"no answer within {_NODE_S} s"
        raise RedisConnectionError(f"no node of the cluster can be used: {reason}") from failure

    def _close_others(self) -> None:
        """Closes the clients of nodes that are no primaries. A command that one of them still runs ends normally."""
        known = [*self._order, *self.primaries, *self._given]
        kept = self.primaries.union(self._given)
        self._order = [one for one in dict.fromkeys(known) if one in kept]
        for address in self._clients.keys() - kept:
            pool = self._clients.pop(address).connection_pool
            task = asyncio.create_task(pool.disconnect(inuse_connections=False))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


class _ClusterPipeline(Pipeline):
    def __init__(self, cluster: ClusterRedis, *, transaction: bool) -> None:
        super().__init__(cluster.connection_pool, cluster.response_callbacks, transaction, None)
        self._cluster = cluster

    async def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002 - the library's
        try:
            return await self._cluster.run_pipeline(
                self.command_stack, is_transaction=self.is_transaction, raises=raise_on_error
            )
        finally:
            await self.reset()  # type: ignore[no-untyped-call]  # the library's, untyped


def slot_of(arguments: tuple[Any, ...]) -> int | None:
    """
    The hash slot of a command's first key, or None for a command without keys. Of several keys, the server verifies
    that all have this slot. Raises ValueError for an unknown command.
    """
    name = arguments[0]
    if name in _FIRST_IS_KEY:
        key = arguments[1]
    elif name == "EVAL":
        key = arguments[3]
    elif name == "XREAD":
        words = [one.upper() if isinstance(one, bytes) else one for one in arguments]
        key = arguments[words.index(b"STREAMS") + 1]
    elif name in _KEYLESS:
        return None
    else:
        raise ValueError(f"the client of a Redis Cluster does not know the command {name}")
    return key_slot(key if isinstance(key, bytes) else str(key).encode())


async def _run_asking(node: Redis, commands: list[tuple[Any, Any]]) -> list[Any]:
    """A transaction in a slot that *node* is receiving: ASKING holds until EXEC."""
    pipe = node.pipeline(transaction=False)
    for words in ("ASKING",), ("MULTI",), *(arguments for arguments, _ in commands), ("EXEC",):
        pipe.execute_command(*words)
    found = await pipe.execute(raise_on_error=False)
    for one in found:
        if isinstance(one, RedisError):
            raise one
    return list(found[-1])


def _owners_of(found: Iterable[Any], asked: Address) -> list[Address | None]:
    """Raises ValueError where no slot has a node, as at a node outside of a cluster, and for a node without a name."""
    owners: list[Address | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
    for first, last, (host, port, *_), *_ in found:
        if host == b"?":
            raise ValueError(
                f"a node of port {port} has no name: set `cluster-announce-hostname`, or another "
                "`cluster-preferred-endpoint-type`"
            )
        # A node that does not know its own address gives none; its clients used the right one.
        owner = (host.decode() if host else asked[0], int(port))
        owners[first : last + 1] = [owner] * (last + 1 - first)
    if not any(owners):
        raise ValueError(f"the node {asked[0]}:{asked[1]} is in no cluster")
    return owners


def _note_failure(search: "asyncio.Task[None]") -> None:
    """Retrieves the error, because every caller may have stopped waiting."""
    if not search.cancelled():
        search.exception()
