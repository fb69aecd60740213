"""Assets in an S3-compatible bucket. The bucket, or a CDN before it, serves them."""

import asyncio
import base64
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, BinaryIO, TypeVar
from urllib.parse import parse_qs, urlsplit

import boto3
import structlog
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from common.assets import CACHE_FOR_EVER, digest_of, find_media_type
from common.clock import Clock
from control.ports.assets import ObjectAbsent, StoreAway, StoreInvalid, UploadLink

_CHUNK_BYTES = 1 << 20
_ATTEMPTS = 2
_ABSENT = frozenset({"404", "NoSuchKey", "NotFound"})
_log: structlog.stdlib.BoundLogger = structlog.get_logger("s3_assets")

Result = TypeVar("Result")


class S3Assets:
    """
    boto3 blocks, so every call is a thread's. Credentials come by boto3's own chain, anew as they expire.

    *read_s*: the longest silence of the bucket; a call is tried twice.
    """

    def __init__(
        self,
        bucket: str,
        prefix: str,
        *,
        endpoint: str | None,
        region: str | None,
        clock: Clock,
        read_s: float = 10.0,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._endpoint = endpoint
        self._region = region
        self._clock = clock
        self._read_s = read_s

    @classmethod
    def open(cls, url: str, clock: Clock) -> "S3Assets":
        """``s3://bucket/prefix?endpoint=…&region=…``; nothing is connected. Raises `StoreInvalid`."""
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        if parts.scheme != "s3" or not parts.netloc or query.keys() - {"endpoint", "region"}:
            raise StoreInvalid(
                "PLACARD_ASSETS_STORE: write file:///folder, or s3://bucket/prefix?endpoint=URL&region=NAME."
            )
        found = {name: query[name][0] if name in query else None for name in ("endpoint", "region")}
        return cls(
            parts.netloc,
            parts.path,
            endpoint=found["endpoint"],
            region=found["region"],
            clock=clock,
        )

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        file.seek(0)
        facts: dict[str, Any] = {"ContentType": media_type}
        if find_media_type(name) is not None:
            facts["CacheControl"] = CACHE_FOR_EVER
            facts["ChecksumSHA256"] = _base64_of(digest_of(name))
        place = self._place(name)
        await self._do(lambda: self._client.put_object(**place, Body=file, **facts))

    async def fetch(self, name: str, into: BinaryIO, *, most_bytes: int) -> int:
        place = self._place(name)

        def copy() -> int:
            size = 0
            body = self._client.get_object(**place)["Body"]
            into.seek(0)
            for chunk in body.iter_chunks(_CHUNK_BYTES):
                into.write(chunk[: most_bytes + 1 - size])
                size += len(chunk)
                if size > most_bytes:
                    body.close()
                    break
            into.truncate()
            into.flush()
            into.seek(0)
            return min(size, most_bytes + 1)

        return await self._do(copy)

    async def size(self, name: str) -> int | None:
        place = self._place(name)
        try:
            return int(await self._do(lambda: self._client.head_object(**place)["ContentLength"]))
        except ObjectAbsent:
            return None

    async def remove(self, name: str) -> None:
        place = self._place(name)
        await self._do(lambda: self._client.delete_object(**place))

    async def upload_link(
        self,
        name: str,
        *,
        media_type: str,
        size_bytes: int,
        sha256: str | None,
        expires_at: datetime,
    ) -> UploadLink:
        """Length, type and checksum are signed, so that the bucket itself refuses others."""
        wanted: dict[str, Any] = {"ContentType": media_type, "ContentLength": size_bytes}
        headers = {"Content-Type": media_type, "Content-Length": str(size_bytes)}
        if sha256 is not None:
            checksum = _base64_of(sha256)
            wanted["ChecksumSHA256"] = headers["x-amz-checksum-sha256"] = checksum
        lasts_s = max(1, int((expires_at - self._clock.now()).total_seconds()))
        params = {**self._place(name), **wanted}
        url = await self._do(
            lambda: self._client.generate_presigned_url("put_object", params, ExpiresIn=lasts_s)
        )
        return UploadLink(str(url), headers)

    async def tidy(self, before: datetime) -> None:
        """A put is one request: broken off, it leaves nothing."""

    async def _do(self, act: Callable[[], Result]) -> Result:
        try:
            return await asyncio.to_thread(act)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in _ABSENT:
                raise ObjectAbsent from None
            raise self._away(error) from error
        except (BotoCoreError, HTTPClientError, OSError) as error:
            raise self._away(error) from error

    def _away(self, error: Exception) -> StoreAway:
        _log.warning("store_away", bucket=self._bucket, reason=str(error))
        return StoreAway()

    def _place(self, name: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}{name}"}

    @cached_property
    def _client(self) -> Any:
        """Takes a while to make, so the first call's thread does."""
        config = Config(
            connect_timeout=3,
            read_timeout=self._read_s,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            signature_version="s3v4",
            s3={"addressing_style": "path" if self._endpoint else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        return boto3.session.Session().client(
            "s3", endpoint_url=self._endpoint, region_name=self._region, config=config
        )


def _base64_of(digest: str) -> str:
    return base64.b64encode(bytes.fromhex(digest)).decode()
