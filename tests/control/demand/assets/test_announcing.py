"""Files announced first, then put to a link, then completed."""

import hashlib
from datetime import timedelta

import httpx
import pytest

from common.values.ids import new_id
from control.foundation.signed_links import UploadLinks
from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import HTML, a_film, an_image
from tests.support.control_api import code_of
from tests.support.resources import params_of

BODY = {"kind": "image", "filename": "a.png", "mime": "image/png", "bytes": 100}


async def test_an_announced_image_is_ready_when_it_is_completed(uploader: Uploader) -> None:
    content = an_image(exif=b"Exif\0\0", pnginfo=None)
    asset = await uploader.announce(content, sha256=hashlib.sha256(content).hexdigest())
    assert (asset["status"], asset["url"], asset["upload"]["method"]) == ("uploading", None, "PUT")

    put = await uploader.put(asset, content)
    done = await uploader.complete(asset)

    assert (put.status_code, done.status_code) == (200, 200), put.text
    ready = done.json()
    assert (ready["status"], ready["width"]) == ("ready", 64)
    assert len(uploader.served(ready)) == ready["bytes"]
    assert not [name for name in uploader.kept() if asset["id"] in name]


async def test_an_announced_video_is_inspected_by_the_scheduler(uploader: Uploader) -> None:
    film = a_film("webm", "libvpx", "libopus")
    asset = await uploader.announce(film, kind="video", mime="video/webm", filename="a.webm")
    await uploader.put(asset, film)

    done = (await uploader.complete(asset)).json()
    settled = await uploader.settled(asset)

    assert done["status"] == "processing"
    assert (settled["status"], settled["mime"]) == ("ready", "video/webm")
    assert settled["media"]["video_codec"] == "vp8"


async def test_completing_again_changes_nothing(uploader: Uploader) -> None:
    content = an_image()
    asset = await uploader.announce(content)
    await uploader.put(asset, content)

    first, second = [await uploader.complete(asset) for _ in range(2)]

    assert first.json() == second.json()


async def test_completing_before_the_file_came_says_so(uploader: Uploader) -> None:
    for kind in ("image", "video"):
        asset = await uploader.announce(an_image(), kind=kind)
        early = await uploader.complete(asset)

        assert (early.status_code, code_of(early)) == (409, "invalid_state")
        assert (await uploader.read(asset))["status"] == "uploading"


@pytest.mark.parametrize(
    ("sent", "changes", "reason"),
    [
        (HTML, {}, "announced as image, but its content is html"),
        (b"nonsense", {}, "of no known type"),
        (an_image(), {"sha256": "0" * 64}, "SHA-256 that was announced"),
        (an_image()[:100], {}, "damaged"),
    ],
    ids=["page", "nonsense", "sum", "cut"],
)
async def test_another_file_than_the_announced_is_rejected(
    uploader: Uploader, sent: bytes, changes: dict[str, str], reason: str
) -> None:
    asset = await uploader.announce(sent, **changes)
    await uploader.put(asset, sent)

    done = await uploader.complete(asset)

    assert done.json()["status"] == "rejected"
    assert reason in done.json()["rejection_reason"]
    assert done.json()["url"] is None
    assert not [name for name in uploader.kept() if asset["id"] in name]


async def test_the_link_takes_exactly_the_announced_length(uploader: Uploader) -> None:
    content = an_image()
    asset = await uploader.announce(content)
    asset["upload"]["headers"] = {"Content-Type": "image/png"}

    longer = await uploader.put(asset, content + b"x")
    shorter = await uploader.put(asset, content[:-1])

    assert (longer.status_code, code_of(longer)) == (413, "payload_too_large")
    assert params_of(shorter) == ["body"]
    assert (await uploader.complete(asset)).status_code == 409


async def test_the_link_may_be_used_again_until_it_is_completed(uploader: Uploader) -> None:
    content = an_image()
    asset = await uploader.announce(content)

    first, second = [await uploader.put(asset, content) for _ in range(2)]
    await uploader.complete(asset)
    late = await uploader.put(asset, content)

    assert (first.status_code, second.status_code) == (200, 200)
    assert (late.status_code, code_of(late)) == (409, "invalid_state")


async def test_a_link_with_a_wrong_signature_is_not_found(uploader: Uploader) -> None:
    content = an_image()
    mine = await uploader.announce(content)
    other = await uploader.announce(content)
    url = httpx.URL(mine["upload"]["url"])
    forged = [
        str(url.copy_set_param("bytes", len(content) + 1)),
        str(url.copy_set_param("expires", 99_999_999_999)),
        str(url.copy_set_param("sig", "A" * 43)),
        str(url.copy_remove_param("sig")),
        str(url.copy_set_param("bytes", "x")),
        str(url).replace(mine["id"], other["id"]),
        str(url).replace(mine["id"], "nothing"),
    ]
    for link in forged:
        mine["upload"]["url"] = link
        answer = await uploader.put(mine, content)
        assert (answer.status_code, code_of(answer)) == (404, "not_found"), link


async def test_a_link_expires(uploader: Uploader) -> None:
    control = uploader.api.control
    links = UploadLinks(control.keys, control.settings.control_url)
    asset = await uploader.announce(an_image())
    past = control.clock.now() - timedelta(seconds=1)
    asset["upload"]["url"] = links.make(asset["id"], size_bytes=asset["bytes"], expires_at=past)

    answer = await uploader.put(asset, an_image())

    assert (answer.status_code, code_of(answer)) == (410, "token_expired")


async def test_a_good_link_to_no_asset_is_not_found(uploader: Uploader) -> None:
    control = uploader.api.control
    links = UploadLinks(control.keys, control.settings.control_url)
    soon = control.clock.now() + timedelta(minutes=1)
    url = links.make(new_id(), size_bytes=1, expires_at=soon)
    asset = {"upload": {"method": "PUT", "url": url, "headers": {}}}

    assert (await uploader.put(asset, b"x")).status_code == 404


async def test_every_fault_of_an_announcement_is_named(uploader: Uploader) -> None:
    customer = uploader.customer
    body = {
        "kind": "film",
        "filename": "",
        "mime": "IMAGE",
        "bytes": "5",
        "sha256": "x",
        "colour": 1,
    }
    answer = await customer.post("/v1/assets?environment=live", body)
    too_long = await customer.post("/v1/assets?environment=live", BODY | {"bytes": 200_001})
    no_json = await uploader.api.http.post(
        "/v1/assets?environment=live",
        content=b"{",
        headers={**customer.headers, "Content-Type": "application/json"},
    )

    assert sorted(params_of(answer)) == sorted(body)
    assert params_of(too_long) == ["bytes"]
    assert (no_json.status_code, code_of(no_json)) == (400, "invalid_json")


async def test_an_announcement_of_a_megabyte_is_too_large(uploader: Uploader) -> None:
    answer = await uploader.customer.post(
        "/v1/assets?environment=live", BODY | {"filename": "x" * 1_048_576}
    )

    assert (answer.status_code, code_of(answer)) == (413, "payload_too_large")
