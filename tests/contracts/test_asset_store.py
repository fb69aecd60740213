"""What every asset store must do, and how each behaves when what it stands on does not."""

import asyncio
import hashlib
import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import httpx
import pytest

from common.service.asset_folder import object_name
from common.values.clock import FixedClock, SystemClock
from control.adapters.bucket import BucketPrefix
from control.adapters.local_assets import LocalAssets
from control.adapters.s3_assets import S3Assets
from control.foundation.signed_links import UploadLinks
from control.ports.assets import AssetStore, ObjectAbsent, StoreInvalid, StoreUnavailable
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.http_client import http_client
from tests.support.s3 import ENVIRONMENT, S3Server

CONTENT = bytes(range(256)) * 5000


@pytest.fixture(scope="module")
def s3_server() -> Iterator[S3Server]:
    server = S3Server()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> AssetStore:
    if request.param == "local":
        return LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://control"))
    request.getfixturevalue("credentials")
    server: S3Server = request.getfixturevalue("s3_server")
    return S3Assets.open(server.make_bucket(f"b{uuid4().hex[:12]}"), SystemClock())


def served_name(content: bytes, extension: str = "png") -> str:
    return object_name(hashlib.sha256(content).digest(), extension)


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def a_file(content: bytes) -> BinaryIO:
    return io.BytesIO(content)


async def content_of(store: AssetStore, name: str, max_bytes: int = 1 << 30) -> bytes:
    into = io.BytesIO(b"something that was there before, and longer than what is fetched" * 100)
    size = await store.fetch(name, into, max_bytes=max_bytes)
    fetched = into.read()
    assert len(fetched) == size
    return fetched


async def test_a_stored_file_is_fetched(store: AssetStore) -> None:
    name = served_name(CONTENT)

    await store.put(name, a_file(CONTENT), media_type="image/png")

    assert await content_of(store, name) == CONTENT
    assert await store.size(name) == len(CONTENT)


async def test_a_file_is_stored_from_its_start_whatever_its_position(store: AssetStore) -> None:
    file = a_file(CONTENT)
    file.seek(0, 2)

    await store.put(served_name(CONTENT), file, media_type="image/png")

    assert await store.size(served_name(CONTENT)) == len(CONTENT)


async def test_storing_a_file_again_changes_nothing(store: AssetStore) -> None:
    name = served_name(CONTENT)

    for _ in range(2):
        await store.put(name, a_file(CONTENT), media_type="image/png")

    assert await content_of(store, name) == CONTENT


async def test_many_may_store_the_same_file_at_once(store: AssetStore) -> None:
    name = served_name(CONTENT)

    await asyncio.gather(
        *(store.put(name, a_file(CONTENT), media_type="image/png") for _ in range(8))
    )

    assert await content_of(store, name) == CONTENT


async def test_an_upload_may_be_stored_again(store: AssetStore) -> None:
    name = f"uploads/{uuid4()}"

    for content in (CONTENT, b"shorter"):
        await store.put(name, a_file(content), media_type="video/mp4")

    assert await content_of(store, name) == b"shorter"


async def test_fetching_stops_one_byte_beyond_the_limit(store: AssetStore) -> None:
    name = served_name(CONTENT)
    await store.put(name, a_file(CONTENT), media_type="image/png")

    assert await content_of(store, name, max_bytes=100) == CONTENT[:101]


async def test_a_missing_file_is_absent(store: AssetStore) -> None:
    name = served_name(b"nothing")

    assert await store.size(name) is None
    with pytest.raises(ObjectAbsent):
        await store.fetch(name, io.BytesIO(), max_bytes=10)
    await store.remove(name)


async def test_a_removed_file_is_absent(store: AssetStore) -> None:
    name = served_name(CONTENT)
    await store.put(name, a_file(CONTENT), media_type="image/png")

    await store.remove(name)

    assert await store.size(name) is None


async def test_tidying_keeps_named_files(store: AssetStore) -> None:
    name = served_name(CONTENT)
    await store.put(name, a_file(CONTENT), media_type="image/png")

    await store.tidy(SystemClock().now() + timedelta(days=1))

    assert await content_of(store, name) == CONTENT


async def test_a_link_has_the_address_and_the_headers_of_the_upload(store: AssetStore) -> None:
    link = await store.upload_link(
        f"uploads/{uuid4()}",
        media_type="video/mp4",
        size_bytes=5,
        sha256=None,
        expires_at=SystemClock().now() + timedelta(minutes=5),
    )

    assert link.url.startswith("http")
    assert link.headers == {"Content-Type": "video/mp4", "Content-Length": "5"}


async def test_a_folder_shows_only_complete_files(tmp_path: Path) -> None:
    class BreaksOff(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 1 << 20:
                raise OSError("the disk is gone")
            return super().read(size)

    store = LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://control"))
    with pytest.raises(StoreUnavailable):
        await store.put(served_name(CONTENT * 4), BreaksOff(CONTENT * 4), media_type="image/png")

    assert not files_in(tmp_path)


async def test_a_folder_is_readable_by_the_process_that_serves_it(tmp_path: Path) -> None:
    store = LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://control"))

    await store.put(served_name(CONTENT), a_file(CONTENT), media_type="image/png")

    assert (tmp_path / served_name(CONTENT)).stat().st_mode & 0o777 == 0o644


async def test_tidying_removes_files_that_a_crash_left_in_the_folder(tmp_path: Path) -> None:
    store = LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://control"))
    left = tmp_path / "unfinished" / "left"
    left.parent.mkdir()
    left.write_bytes(b"half")

    await store.tidy(SystemClock().now() - timedelta(hours=1))
    assert left.exists()

    await store.tidy(SystemClock().now() + timedelta(hours=1))
    assert not left.exists()


async def test_a_folder_refuses_names_that_lead_elsewhere(tmp_path: Path) -> None:
    store = LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://control"))

    for name in ("../x", "uploads/../../x", "/etc/passwd", "uploads/x", "aa/bb/x.png"):
        with pytest.raises(ValueError, match="no name of ours"):
            await store.put(name, a_file(b"x"), media_type="image/png")


async def test_a_path_that_is_not_a_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = LocalAssets(tmp_path / "file", UploadLinks(KEY_RING, "http://control"))

    with pytest.raises(StoreUnavailable) as caught:
        await store.put(served_name(CONTENT), a_file(CONTENT), media_type="image/png")

    assert caught.value.retry_after_s


@pytest.mark.usefixtures("credentials")
async def test_a_bucket_serves_a_file_with_its_type_and_for_ever(s3_server: S3Server) -> None:
    bucket = f"b{uuid4().hex[:12]}"
    store = S3Assets.open(s3_server.make_bucket(bucket), SystemClock())
    name = served_name(CONTENT)
    await store.put(name, a_file(CONTENT), media_type="image/png")

    head = await asyncio.to_thread(
        store._bucket.client.head_object, Bucket=bucket, Key=f"media/{name}"
    )

    assert head["ContentType"] == "image/png"
    assert head["CacheControl"] == "public, max-age=31536000, immutable"


@pytest.mark.usefixtures("credentials")
async def test_a_bucket_s_link_takes_the_file_and_signs_its_length_and_sum(
    s3_server: S3Server,
) -> None:
    store = S3Assets.open(s3_server.make_bucket(f"b{uuid4().hex[:12]}"), SystemClock())
    name = f"uploads/{uuid4()}"

    link = await store.upload_link(
        name,
        media_type="video/mp4",
        size_bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        expires_at=SystemClock().now() + timedelta(minutes=5),
    )
    async with http_client() as http:
        sent = await http.put(link.url, content=CONTENT, headers=link.headers)

    assert sent.status_code == 200
    assert await content_of(store, name) == CONTENT
    signed = httpx.URL(link.url).params["X-Amz-SignedHeaders"].split(";")
    assert {"content-length", "content-type", "host", "x-amz-checksum-sha256"} <= set(signed)


@pytest.mark.usefixtures("credentials")
async def test_a_missing_bucket_is_unavailable() -> None:
    clock = FixedClock(NOW_MS)
    place = BucketPrefix("b", "", endpoint="http://127.0.0.1:1", region="us-east-1")
    store = S3Assets(place, clock)

    with pytest.raises(StoreUnavailable):
        await store.size(served_name(b""))


@pytest.mark.usefixtures("credentials")
async def test_a_bucket_that_hangs_is_unavailable() -> None:
    server = S3Server()
    server.start()
    try:
        server.make_bucket("frozen")
        place = BucketPrefix("frozen", "", endpoint=server.url, region="us-east-1")
        store = S3Assets(place, SystemClock(), read_s=0.2)
        assert await store.size(served_name(b"")) is None
        server.freeze()
        with pytest.raises(StoreUnavailable):
            await store.put(served_name(CONTENT), a_file(CONTENT), media_type="image/png")
        server.thaw()
    finally:
        server.stop()


@pytest.mark.parametrize("url", ["s3://", "https://bucket", "s3://bucket?endpont=x"])
def test_a_store_that_names_no_bucket_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(StoreInvalid, match="s3://bucket/prefix"):
        S3Assets.open(url, FixedClock(NOW_MS))
