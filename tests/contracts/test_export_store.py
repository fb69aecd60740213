"""What every store of exports must do, and how each behaves when what it stands on does not."""

import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from common.values.clock import SystemClock
from control.adapters.bucket import BucketPrefix
from control.adapters.local_exports import LocalExports
from control.adapters.s3_exports import S3Exports
from control.foundation.signed_links import ExportLinks
from control.foundation.store_folder import find_folder
from control.ports.assets import StoreInvalid
from control.ports.exports import ExportStore, ExportsUnavailable
from tests.support.builders import KEY_RING
from tests.support.http_client import http_client
from tests.support.s3 import ENVIRONMENT, S3Server

CONTENT = b"id,kind\r\n" + b"x" * 20_000_000
"""More than one part of a bucket's upload."""
LINK = {"filename": "placard-events.csv", "media_type": "text/csv; charset=utf-8"}


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
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ExportStore:
    if request.param == "local":
        return LocalExports(tmp_path, ExportLinks(KEY_RING, "http://control"))
    request.getfixturevalue("credentials")
    server: S3Server = request.getfixturevalue("s3_server")
    return S3Exports.open(server.make_bucket(f"b{uuid4().hex[:12]}"), SystemClock())


def a_name() -> str:
    return f"{uuid4()}/1"


def in_a_minute() -> datetime:
    return SystemClock().now() + timedelta(minutes=1)


async def test_storing_again_and_removing_twice_are_allowed(store: ExportStore) -> None:
    name, file = a_name(), io.BytesIO(b"rows")
    file.seek(0, 2)

    for _ in range(2):
        await store.put(name, file, media_type="text/csv")
    for _ in range(2):
        await store.remove(name)

    assert not file.closed


def _contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def test_tidying_keeps_a_finished_file(store: ExportStore, tmp_path: Path) -> None:
    name = a_name()
    await store.tidy(SystemClock().now())
    await store.put(name, io.BytesIO(b"rows"), media_type="text/csv")
    await store.tidy(in_a_minute())

    if isinstance(store, LocalExports):
        stored = _contents(tmp_path)
    else:
        async with http_client() as http:
            link = await store.link(name, **LINK, expires_at=in_a_minute())
            stored = [(await http.get(link)).content]
    assert stored == [b"rows"]


@pytest.mark.usefixtures("credentials")
async def test_a_bucket_s_link_reads_the_whole_file_under_its_name(s3_server: S3Server) -> None:
    store = S3Exports.open(s3_server.make_bucket(f"b{uuid4().hex[:12]}"), SystemClock())
    name = a_name()
    await store.put(name, io.BytesIO(CONTENT), media_type="text/csv; charset=utf-8")

    link = await store.link(name, **LINK, expires_at=in_a_minute())
    async with http_client() as http:
        file = await http.get(link)
        await store.remove(name)
        gone = await http.get(link)

    assert file.content == CONTENT
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    assert file.headers["content-disposition"] == 'attachment; filename="placard-events.csv"'
    assert 0 < int(httpx.URL(link).params["X-Amz-Expires"]) <= 60
    assert gone.status_code in (403, 404)


@pytest.mark.usefixtures("credentials")
async def test_a_missing_bucket_is_unavailable() -> None:
    place = BucketPrefix("b", "", endpoint="http://127.0.0.1:1", region="us-east-1")
    store = S3Exports(place, SystemClock(), read_s=0.2)

    with pytest.raises(ExportsUnavailable):
        await store.put(a_name(), io.BytesIO(b"rows"), media_type="text/csv")
    with pytest.raises(ExportsUnavailable):
        await store.remove(a_name())


async def test_a_folder_holds_complete_files_readable_by_the_owner_alone(tmp_path: Path) -> None:
    store = LocalExports(tmp_path / "exports", ExportLinks(KEY_RING, "http://control"))
    name = a_name()

    await store.put(name, io.BytesIO(CONTENT), media_type="text/csv")

    path = tmp_path / "exports" / name
    assert path.read_bytes() == CONTENT
    assert [one.stat().st_mode & 0o777 for one in (path, path.parent)] == [0o600, 0o700]
    assert not list((tmp_path / "exports" / "unfinished").iterdir())
    await store.remove(name)
    assert not path.parent.exists()


async def test_tidying_removes_files_that_a_crash_left_in_the_folder(tmp_path: Path) -> None:
    store = LocalExports(tmp_path, ExportLinks(KEY_RING, "http://control"))
    left = tmp_path / "unfinished" / "left"
    left.parent.mkdir()
    left.write_bytes(b"half")

    await store.tidy(SystemClock().now() - timedelta(hours=1))
    assert left.exists()

    await store.tidy(in_a_minute())
    assert not left.exists()


async def test_a_folder_refuses_names_that_lead_elsewhere(tmp_path: Path) -> None:
    store = LocalExports(tmp_path, ExportLinks(KEY_RING, "http://control"))

    for name in ("../x", f"{uuid4()}/..", f"{uuid4()}/0", "/etc/passwd", "x/1", f"{uuid4()}/1/2"):
        with pytest.raises(ValueError, match="no name of ours"):
            await store.put(name, io.BytesIO(b"x"), media_type="text/csv")


async def test_a_path_that_is_not_a_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = LocalExports(tmp_path / "file", ExportLinks(KEY_RING, "http://control"))

    with pytest.raises(ExportsUnavailable) as caught:
        await store.put(a_name(), io.BytesIO(b"x"), media_type="text/csv")

    assert caught.value.retry_after_s


def test_a_store_is_a_folder_or_a_bucket(tmp_path: Path) -> None:
    assert find_folder("", tmp_path) == tmp_path / "exports"
    assert find_folder("file:///srv/a%20b", tmp_path) == Path("/srv/a b")
    assert find_folder("s3://bucket/x", tmp_path) is None
    for url in ("s3://", "https://bucket", "file://host/x", "s3://bucket?endpont=x"):
        assert find_folder(url, tmp_path) is None
        with pytest.raises(StoreInvalid, match="PLACARD_EXPORTS_STORE"):
            S3Exports.open(url, SystemClock())
