"""An S3-compatible bucket, shared by the adapters that use one."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import boto3
import structlog
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from common.values.errors import Unavailable
from control.ports.assets import ObjectAbsent, StoreInvalid

_ATTEMPTS = 2
_THREADS = 16
_ABSENT = frozenset({"404", "NoSuchKey", "NotFound"})
_log: structlog.stdlib.BoundLogger = structlog.get_logger("bucket")

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class BucketPrefix:
    """A bucket and a prefix in it; ``prefix`` is empty or ends with a slash."""

    bucket: str
    prefix: str
    endpoint: str | None
    region: str | None


def parse_bucket_prefix(url: str, *, variable: str) -> BucketPrefix:
    """Parses ``s3://bucket/prefix?endpoint=…&region=…``. Raises `StoreInvalid`, which names *variable*."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if parts.scheme != "s3" or not parts.netloc or query.keys() - {"endpoint", "region"}:
        raise StoreInvalid(
            f"{variable}: write file:///folder, or s3://bucket/prefix?endpoint=URL&region=NAME."
        )
    found = {name: query[name][0] if name in query else None for name in ("endpoint", "region")}
    prefix = parts.path.strip("/")
    return BucketPrefix(
        parts.netloc, f"{prefix}/" if prefix else "", found["endpoint"], found["region"]
    )


class Bucket:
    """
    boto3 blocks, so every call runs in a thread. The threads are the bucket's own: one that does not respond holds
    them for a long time, and those of the event loop also resolve the names of the database and of Redis. Credentials
    come from boto3's own chain and are renewed as they expire.

    *read_s*: longest wait for data of the bucket; each call has two attempts. *new_unavailable* makes the exception to
    raise when the bucket is unavailable.
    """

    def __init__(
        self, place: BucketPrefix, *, new_unavailable: Callable[[], Unavailable], read_s: float
    ) -> None:
        self._place = place
        self._new_unavailable = new_unavailable
        self._read_s = read_s
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="bucket")

    def key(self, name: str) -> dict[str, str]:
        return {"Bucket": self._place.bucket, "Key": f"{self._place.prefix}{name}"}

    async def do(self, act: Callable[[], Result]) -> Result:
        """Runs *act*, which uses `client`, in a thread. Raises `ObjectAbsent`, or that the bucket is unavailable."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, act)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in _ABSENT:
                raise ObjectAbsent from None
            raise self._unavailable(error) from error
        except (BotoCoreError, HTTPClientError, OSError) as error:
            raise self._unavailable(error) from error

    @cached_property
    def client(self) -> Any:
        """Takes a while to create, so the thread of the first call does it."""
        place = self._place
        config = Config(
            connect_timeout=3,
            read_timeout=self._read_s,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            signature_version="s3v4",
            s3={"addressing_style": "path" if place.endpoint else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        return boto3.session.Session().client(
            "s3", endpoint_url=place.endpoint, region_name=place.region, config=config
        )

    def _unavailable(self, error: Exception) -> Unavailable:
        _log.warning("object_store_unavailable", bucket=self._place.bucket, reason=str(error))
        return self._new_unavailable()
