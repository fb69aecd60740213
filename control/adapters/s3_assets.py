"""Assets in an S3-compatible bucket. The bucket, or a CDN in front of it, serves them."""

import base64
from datetime import datetime
from typing import Any, BinaryIO

from common.service.asset_folder import CACHE_FOR_EVER, digest_of, find_media_type
from common.values.clock import Clock
from control.adapters.bucket import Bucket, BucketPrefix, parse_bucket_prefix
from control.ports.assets import ObjectAbsent, StoreUnavailable, UploadLink

_CHUNK_BYTES = 1 << 20


class S3Assets:
    def __init__(self, place: BucketPrefix, clock: Clock, *, read_s: float = 10.0) -> None:
        self._bucket = Bucket(place, new_unavailable=StoreUnavailable, read_s=read_s)
        self._clock = clock

    @classmethod
    def open(cls, url: str, clock: Clock) -> "S3Assets":
        """Parses ``s3://bucket/prefix?endpoint=…&region=…`` without connecting. Raises `StoreInvalid`."""
        return cls(parse_bucket_prefix(url, variable="PLACARD_ASSETS_STORE"), clock)

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        file.seek(0)
        facts: dict[str, Any] = {"ContentType": media_type}
        if find_media_type(name) is not None:
            facts["CacheControl"] = CACHE_FOR_EVER
            facts["ChecksumSHA256"] = _base64_of(digest_of(name))
        bucket, key = self._bucket, self._bucket.key(name)
        await bucket.do(lambda: bucket.client.put_object(**key, Body=file, **facts))

    async def fetch(self, name: str, into: BinaryIO, *, max_bytes: int) -> int:
        bucket, key = self._bucket, self._bucket.key(name)

        def copy() -> int:
            size = 0
            body = bucket.client.get_object(**key)["Body"]
            into.seek(0)
            for chunk in body.iter_chunks(_CHUNK_BYTES):
                into.write(chunk[: max_bytes + 1 - size])
                size += len(chunk)
                if size > max_bytes:
                    body.close()
                    break
            into.truncate()
            into.flush()
            into.seek(0)
            return min(size, max_bytes + 1)

        return await bucket.do(copy)

    async def size(self, name: str) -> int | None:
        bucket, key = self._bucket, self._bucket.key(name)
        try:
            return int(await bucket.do(lambda: bucket.client.head_object(**key)["ContentLength"]))
        except ObjectAbsent:
            return None

    async def remove(self, name: str) -> None:
        bucket, key = self._bucket, self._bucket.key(name)
        await bucket.do(lambda: bucket.client.delete_object(**key))

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
        bucket = self._bucket
        params = {**bucket.key(name), **wanted}
        url = await bucket.do(
            lambda: bucket.client.generate_presigned_url("put_object", params, ExpiresIn=lasts_s)
        )
        return UploadLink(str(url), headers)

    async def tidy(self, before: datetime) -> None:
        """Does nothing: a put is one request, so an interrupted one leaves nothing."""


def _base64_of(digest: str) -> str:
    return base64.b64encode(bytes.fromhex(digest)).decode()
