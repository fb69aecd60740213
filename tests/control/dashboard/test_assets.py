"""Files in the dashboard: uploaded, looked at, archived."""

import io

import httpx
from PIL import Image

from tests.support.control_api import ControlApi
from tests.support.embedding import window_of
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of


def _picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (300, 250), (58, 78, 213)).save(file, "PNG")
    return file.getvalue()


async def _upload(visitor: Visitor, name: str, data: bytes) -> httpx.Response:
    return await visitor.http.post(
        "/live/assets/upload", files={"file": (name, data)}, headers=FROM_OUR_PAGE
    )


async def test_an_uploaded_image_is_shown_with_its_measured_properties(visitor: Visitor) -> None:
    sent = await _upload(visitor, "spring.png", _picture())
    assert sent.status_code == 303, sent.text

    page = await visitor.look(sent.headers["location"])

    assert "Ready" in text_of(page)
    assert "300 × 250" in text_of(page)
    assert [one.attributes["width"] for one in page.css("figure img")] == ["300"]
    listed = await visitor.look("/live/assets?kind=image")
    assert [one.text() for one in listed.css(".files strong")] == ["spring.png"]
    assert "No files yet" in text_of(await visitor.look("/test/assets"))


async def test_a_file_that_is_not_an_image_is_refused_with_the_reason(visitor: Visitor) -> None:
    answer = await _upload(visitor, "notes.xyz", b"\x01\x02 nothing that is known")

    assert answer.status_code == 422
    assert "This file type is not supported" in answer.text


async def test_a_file_of_another_site_is_refused(visitor: Visitor) -> None:
    answer = await visitor.http.post(
        "/live/assets/upload",
        files={"file": ("a.png", _picture())},
        headers={"Sec-Fetch-Site": "cross-site"},
    )

    assert answer.status_code == 400


async def test_an_archived_file_is_marked_as_archived(visitor: Visitor) -> None:
    sent = await _upload(visitor, "spring.png", _picture())

    page = await visitor.act(sent.headers["location"].partition("?")[0])
    assert "The file is archived" in text_of(page)


async def test_an_uploaded_file_can_be_chosen_for_an_ad(visitor: Visitor) -> None:
    sent = await _upload(visitor, "spring.png", _picture())
    asset_id = sent.headers["location"].partition("?")[0].rpartition("/")[2]

    page = await visitor.look("/live/ads/new?format=banner")

    offered = page.css("select[data-files=image] option")
    assert [one.attributes["value"] for one in offered] == ["", asset_id]


async def test_a_window_uploads_by_its_bearer(api: ControlApi) -> None:
    key = await api.add_key(await api.sign_up())
    async with window_of(api, key.headers) as window:
        sent = await window.http.post(
            "/embed/s/test/assets/upload",
            files={"file": ("spring.png", _picture())},
            headers={"Authorization": f"Bearer {window.bearer}"},
        )
        assert sent.status_code == 303, sent.text
        page = await window.look(sent.headers["location"])

    assert "Ready" in text_of(page)
