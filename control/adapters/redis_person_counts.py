"""Reads and deletes the hashes that edges keep of people (`edge/adapters/redis_caps.py`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.environment import Environment
from common.values.errors import Unavailable

_CALL_S = 5.0


class RedisFrequencyCounts:
    def __init__(self, url: str, channels: Channels) -> None:
        self._redis = patient_redis(url, connect_s=_CALL_S)
        self._channels = channels

    async def read(self, people: Sequence[bytes]) -> Sequence[Mapping[str, str]]:
        found = []
        async with answering(_CALL_S, Unavailable):
            for environment, key in self._keys(people):
                stored: Any = await self._redis.hgetall(key)
                counts = sorted(
                    (field, value) for field, value in stored.items() if _is_count(field)
                )
                found += [_record(environment, *pair) for pair in counts]
        return found

    async def erase(self, people: Sequence[bytes]) -> int:
        count = 0
        async with answering(_CALL_S, Unavailable):
            for _, key in self._keys(people):
                stored: Any = await self._redis.hgetall(key)
                count += sum(map(_is_count, stored))
                await self._redis.delete(key)
        return count

    async def close(self) -> None:
        await self._redis.aclose()

    def _keys(self, people: Sequence[bytes]) -> Iterator[tuple[Environment, str]]:
        for person in people:
            for environment in Environment:
                yield environment, self._channels.person_counts(environment, person.hex())


def _is_count(field: bytes) -> bool:
    """Other fields are the numbers of workers' last events, on a cluster."""
    return not field.startswith(b"@")


def _record(environment: Environment, field: bytes, value: bytes) -> dict[str, str]:
    """The field of a count holds the campaign's or ad's id, the kind of event and the window in seconds."""
    counted, event, window_s = field.decode().split(":")
    count = sum(int(part.partition(b":")[2]) for part in value.split(b","))
    return {
        "environment": environment.value,
        "campaign_or_ad": counted,
        "event": event,
        "window_seconds": window_s,
        "count": str(count),
    }
