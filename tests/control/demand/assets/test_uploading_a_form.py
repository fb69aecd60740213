"""Files sent in a form: what they are is found at once, or shortly."""

import io
import zipfile

import pytest
from PIL import Image

from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import HTML, a_film, a_sound, an_animation, an_image
from tests.support.control_api import code_of
from tests.support.raw_http import exchange
from tests.support.resources import made, params_of

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("form", "mime"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("GIF", "image/gif"),
        ("WEBP", "image/webp"),
        ("AVIF", "image/avif"),
    ],
)
async def test_an_image_is_ready_at_once(uploader: Uploader, form: str, mime: str) -> None:
    asset = made(await uploader.send(an_image(form), filename="C:\\pictures\\spring.bin"))

    assert (asset["status"], asset["kind"], asset["mime"]) == ("ready", "image", mime)
    assert (asset["width"], asset["height"], asset["duration_ms"]) == (64, 48, None)
    assert (asset["filename"], asset["is_test"], asset["upload"]) == ("spring.bin", False, None)
    assert asset["url"].startswith("http://127.0.0.1:8080/assets/")
    served = uploader.served(asset)
    assert len(served) == asset["bytes"]
    assert Image.open(io.BytesIO(served)).format == form


async def test_an_answer_has_the_location_of_the_asset(uploader: Uploader) -> None:
    answer = await uploader.send(an_image())

    assert answer.headers["location"] == f"/v1/assets/{answer.json()['id']}"


async def test_a_page_is_kept_byte_for_byte(uploader: Uploader) -> None:
    asset = made(await uploader.send(HTML))

    assert (asset["status"], asset["kind"], asset["mime"]) == ("ready", "html", "text/html")
    assert uploader.served(asset) == HTML


async def test_audio_is_ready_after_its_inspection(uploader: Uploader) -> None:
    sent = a_sound()
    asset = made(await uploader.send(sent))
    assert (asset["status"], asset["url"], asset["kind"]) == ("processing", None, "audio")

    asset = await uploader.settled(asset)

    assert (asset["status"], asset["mime"], asset["width"]) == ("ready", "audio/mpeg", None)
    assert abs(asset["duration_ms"] - 1000) < 60
    media = asset["media"]
    assert (media["audio_codec"], media["sample_rate_hz"], media["channels"]) == ("mp3", 44_100, 2)
    assert -12 < media["loudness_lufs"] < -9
    assert uploader.served(asset) == sent
    assert not [name for name in uploader.kept() if name.startswith("uploads/")]


async def test_a_video_is_ready_after_its_inspection(uploader: Uploader) -> None:
    asset = await uploader.settled(made(await uploader.send(a_film())))

    assert (asset["status"], asset["kind"], asset["mime"]) == ("ready", "video", "video/mp4")
    assert (asset["width"], asset["height"]) == (160, 120)
    media = asset["media"]
    assert (media["video_codec"], media["audio_codec"], media["fps"]) == ("h264", "aac", 25.0)


async def test_a_container_of_audio_or_video_has_the_declared_kind(uploader: Uploader) -> None:
    sound = a_sound("ipod", "aac")
    as_sound = await uploader.settled(made(await uploader.send(sound, kind="audio")))
    as_film = await uploader.settled(made(await uploader.send(sound, kind="video")))

    assert (as_sound["status"], as_sound["mime"]) == ("ready", "audio/mp4")
    assert as_film["status"] == "rejected"
    assert "no video track" in as_film["rejection_reason"]
    assert as_film["url"] is None


async def test_the_fields_of_the_form_may_stand_behind_the_file(uploader: Uploader) -> None:
    asset = made(await uploader.send(an_image(), kind="image", filename="b.png"))

    assert asset["filename"] == "b.png"


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", SVG, b"<?xml version='1.0'?>" + SVG, b"%PDF-1.7", b"MZ" * 99, b"\0" * 9000],
)
async def test_a_file_that_is_not_an_asset_is_refused(uploader: Uploader, content: bytes) -> None:
    answer = await uploader.send(content, filename="a.png")

    assert params_of(answer) == ["file"]
    assert not await _listed(uploader)


async def test_an_archive_is_refused(uploader: Uploader) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("index.html", "<html>")

    assert params_of(await uploader.send(target.getvalue())) == ["file"]


async def test_another_kind_than_the_bytes_are_is_refused(uploader: Uploader) -> None:
    answer = await uploader.send(an_image(), kind="audio")

    assert params_of(answer) == ["kind"]
    assert "png (image)" in answer.json()["error"]["message"]


async def test_a_damaged_image_is_refused_and_nothing_is_left(uploader: Uploader) -> None:
    before = uploader.kept()

    answer = await uploader.send(an_image(size=(300, 200))[:300])

    assert params_of(answer) == ["file"]
    assert answer.json()["error"]["details"][0]["code"] == "file_rejected"
    assert uploader.kept() == before
    assert not await _listed(uploader)


async def test_a_page_that_is_no_utf_8_is_refused(uploader: Uploader) -> None:
    assert params_of(await uploader.send(HTML + b"\xff\xfe")) == ["file"]


async def test_every_kind_has_its_own_cap(uploader: Uploader) -> None:
    page = await uploader.send(HTML.ljust(10_001))
    image = await uploader.send(an_image("GIF") + b"\0" * 200_000)

    assert (page.status_code, code_of(page)) == (413, "payload_too_large")
    assert (image.status_code, code_of(image)) == (413, "payload_too_large")
    assert "10,000 bytes" in page.json()["error"]["message"]


async def test_a_body_larger_than_any_file_is_refused_by_its_length(uploader: Uploader) -> None:
    head = (
        "POST /v1/assets?environment=live HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: {uploader.customer.headers['Authorization']}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 999999999\r\n\r\n"
    )
    answers = await exchange(uploader.api.port, head.encode())

    assert [answer.code for answer in answers] == ["payload_too_large"]


async def test_credentials_are_checked_before_a_large_body_is_read(uploader: Uploader) -> None:
    head = (
        "POST /v1/assets?environment=live HTTP/1.1\r\nHost: x\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000000\r\n\r\n"
    )
    answers = await exchange(uploader.api.port, head.encode())

    assert [answer.code for answer in answers] == ["missing_key"]


async def test_a_form_that_cannot_be_read_is_refused(uploader: Uploader) -> None:
    for media_type, body in (
        ("multipart/form-data", b"--b--"),
        ("multipart/form-data; boundary=b", b""),
        ("multipart/form-data; boundary=b", b"nothing"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\nx\r\n--b--"),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc',
        ),
    ):
        answer = await uploader.api.http.post(
            "/v1/assets?environment=live",
            content=body,
            headers={**uploader.customer.headers, "Content-Type": media_type},
        )
        assert (answer.status_code, code_of(answer)) == (400, "bad_request"), body


async def test_wrong_parts_are_named(uploader: Uploader) -> None:
    unknown = await uploader.send(an_image(), colour="red")
    wrong = await uploader.send(an_image(), kind="film", filename="a\nb")
    missing = await uploader.api.http.post(
        "/v1/assets?environment=live",
        files={"picture": ("a.png", an_image())},
        headers=uploader.customer.headers,
    )
    twice = await uploader.api.http.post(
        "/v1/assets?environment=live",
        files=[("file", ("a.png", an_image())), ("file", ("b.png", an_image()))],
        headers=uploader.customer.headers,
    )

    assert params_of(unknown) == ["colour"]
    assert sorted(params_of(wrong)) == ["filename", "kind"]
    assert params_of(missing) == ["file"]
    assert params_of(twice) == ["file"]


async def test_another_media_type_is_refused_with_both_ways_to_upload(uploader: Uploader) -> None:
    answer = await uploader.api.http.post(
        "/v1/assets?environment=live",
        content=an_image(),
        headers={**uploader.customer.headers, "Content-Type": "image/png"},
    )

    assert (answer.status_code, code_of(answer)) == (415, "unsupported_media_type")
    assert "multipart/form-data" in answer.json()["error"]["message"]


async def test_a_signed_in_user_names_the_environment(uploader: Uploader) -> None:
    assert params_of(await uploader.send(an_image(), environment=None)) == ["environment"]
    assert made(await uploader.send(an_image(), environment="test"))["is_test"] is True


async def test_an_animation_stays_one(uploader: Uploader) -> None:
    for form in ("GIF", "WEBP", "PNG"):
        asset = made(await uploader.send(an_animation(form)))
        with Image.open(io.BytesIO(uploader.served(asset))) as shown:
            assert getattr(shown, "n_frames", 1) == 3


async def _listed(uploader: Uploader) -> list[str]:
    answer = await uploader.customer.get("/v1/assets?environment=live")
    return [asset["id"] for asset in answer.json()["data"]]
