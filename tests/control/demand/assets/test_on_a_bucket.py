"""Assets whose store is a bucket: the same API, with the bucket's own links; and what is answered while it is away."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import a_sound, an_image
from tests.support.control_api import DatabaseTemplate, code_of, running_control
from tests.support.http_client import http_client
from tests.support.resources import Customer, made
from tests.support.s3 import ENVIRONMENT, S3Server


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    server = S3Server()
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture
async def on_bucket(
    bucket: S3Server, migrated: DatabaseTemplate, servers_folder: Path
) -> AsyncIterator[Uploader]:
    folder = servers_folder / f"bucket-{uuid4().hex[:8]}"
    folder.mkdir()
    async with running_control(
        migrated.new_database(),
        folder,
        assets_store=bucket.make_bucket("assets"),
        assets_url="https://cdn.example",
    ) as api:
        yield Uploader(Customer(api, await api.sign_up()), folder / "assets")


async def test_a_bucket_stores_form_uploads_and_direct_uploads(on_bucket: Uploader) -> None:
    image = made(await on_bucket.send(an_image()))
    sound = a_sound()
    asset = await on_bucket.announce(sound, kind="audio", mime="audio/mpeg")
    async with http_client() as http:
        upload = asset["upload"]
        put = await http.put(upload["url"], content=sound, headers=upload["headers"])
    done = await on_bucket.complete(asset)
    settled = await on_bucket.settled(asset)

    assert image["url"].startswith("https://cdn.example/")
    assert (put.status_code, done.status_code) == (200, 200), put.text
    assert (settled["status"], settled["bytes"]) == ("ready", len(sound))
    store = on_bucket.api.control.assets
    for ready in (image, settled):
        assert await store.size(ready["url"].removeprefix("https://cdn.example/"))
    assert await store.size(f"uploads/{asset['id']}") is None
    assert not on_bucket.kept()


async def test_with_a_bucket_there_are_no_upload_links_of_control(on_bucket: Uploader) -> None:
    answer = await on_bucket.api.http.put(f"/v1/assets/uploads/{uuid4()}", content=b"x")

    assert answer.status_code == 404


async def test_while_the_bucket_is_away_uploads_get_503(
    on_bucket: Uploader, bucket: S3Server
) -> None:
    ready = made(await on_bucket.send(an_image()))
    asset = await on_bucket.announce(an_image())
    bucket.stop()

    sent = await on_bucket.send(an_image(size=(9, 9)))
    completed = await on_bucket.complete(asset)

    for answer in (sent, completed):
        assert (answer.status_code, code_of(answer)) == (503, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1
    assert (await on_bucket.read(asset))["status"] == "uploading"
    assert (await on_bucket.read(ready))["status"] == "ready"
    listed = (await on_bucket.customer.get("/v1/assets?environment=live")).json()["data"]
    assert len(listed) == 2
