"""Exports in an S3-compatible bucket, which must be private: it serves them only by signed links."""

from datetime import datetime
from typing import BinaryIO

from common.values.clock import Clock
from control.adapters.bucket import Bucket, BucketPrefix, parse_bucket_prefix
from control.ports.exports import ExportsUnavailable


class S3Exports:
    def __init__(self, place: BucketPrefix, clock: Clock, *, read_s: float = 20.0) -> None:
        self._bucket = Bucket(place, new_unavailable=ExportsUnavailable, read_s=read_s)
        self._clock = clock

    @classmethod
    def open(cls, url: str, clock: Clock) -> "S3Exports":
        """Parses ``s3://bucket/prefix?endpoint=…&region=…`` without connecting. Raises `StoreInvalid`."""
        return cls(parse_bucket_prefix(url, variable="PLACARD_EXPORTS_STORE"), clock)

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        """Uploads a large file in parts; the name appears with the last part."""
        file.seek(0)
        bucket, key = self._bucket, self._bucket.key(name)
        facts = {"ContentType": media_type, "CacheControl": "private, no-store"}
        await bucket.do(
            lambda: bucket.client.upload_fileobj(_Unclosed(file), **key, ExtraArgs=facts)
        )

    async def remove(self, name: str) -> None:
        bucket, key = self._bucket, self._bucket.key(name)
        await bucket.do(lambda: bucket.client.delete_object(**key))

    async def link(self, name: str, *, filename: str, media_type: str, expires_at: datetime) -> str:
        lasts_s = max(1, int((expires_at - self._clock.now()).total_seconds()))
        bucket = self._bucket
        params = {
            **bucket.key(name),
            "ResponseContentDisposition": f'attachment; filename="{filename}"',
            "ResponseContentType": media_type,
        }
        url = await bucket.do(
            lambda: bucket.client.generate_presigned_url("get_object", params, ExpiresIn=lasts_s)
        )
        return str(url)

    async def tidy(self, before: datetime) -> None:
        """Does nothing: parts of interrupted uploads are invisible, and the bucket's lifecycle rule aborts them."""


class _Unclosed:
    """A file without ``close``: boto3 closes what it uploaded, but the file's owner still needs it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)
