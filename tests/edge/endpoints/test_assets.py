"""Uploaded files, served by the edge from a local store."""

import asyncio
from pathlib import Path

import pytest

from common.service.asset_folder import object_name
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import connection, get

SMALL = b"0123456789"
LARGE = bytes(range(256)) * 4096
IMMUTABLE = "public, max-age=31536000, immutable"


def keep(edge: RunningEdge, content: bytes, extension: str = "png", number: int = 1) -> str:
    """The path under which the edge serves *content*; the folder is the one that settings name."""
    name = object_name(bytes([number]) * 32, extension)
    path = Path(edge.context.settings.state) / "assets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return f"/assets/{name}"


async def test_an_asset_is_served_for_ever_to_anybody(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        path = keep(edge, SMALL)
        answer = await edge.get(path)
    assert (answer.status, answer.body) == (200, SMALL)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == IMMUTABLE
    assert answer.headers["etag"] == f'"{"01" * 32}"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "content-security-policy" not in answer.headers


async def test_a_page_runs_in_a_sandbox_without_an_origin(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, b"<!doctype html>", "html"))
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox ")
    assert "allow-same-origin" not in policy
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_a_large_file_comes_whole(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, LARGE, "mp4"))
    assert answer.headers["content-length"] == str(len(LARGE))
    assert answer.body == LARGE


@pytest.mark.parametrize("content", [SMALL, LARGE], ids=["small", "large"])
async def test_head_returns_the_length_without_a_body(tmp_path: Path, content: bytes) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, content, "mp4"), method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == str(len(content))
    assert answer.headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize(
    ("requested", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=2-5", 2, 5),
        ("bytes=4-", 4, len(LARGE) - 1),
        ("bytes=-3", len(LARGE) - 3, len(LARGE) - 1),
        ("bytes=5-99999999", 5, len(LARGE) - 1),
        ("bytes=-99999999", 0, len(LARGE) - 1),
        ("bytes=100000-900000", 100_000, 900_000),
    ],
)
async def test_a_player_may_ask_for_a_range(
    tmp_path: Path, requested: str, first: int, last: int
) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, LARGE, "mp4"), f"Range: {requested}")
    assert answer.status == 206
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(LARGE)}"
    assert answer.body == LARGE[first : last + 1]


@pytest.mark.parametrize("requested", ["bytes=10-", "bytes=10-20", "bytes=-0"])
async def test_a_range_behind_the_end_is_refused_with_the_length(
    tmp_path: Path, requested: str
) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, SMALL), f"Range: {requested}")
    assert (answer.status, answer.code) == (416, "range_not_satisfiable")
    assert answer.headers["content-range"] == "bytes */10"


@pytest.mark.parametrize(
    "requested", ["bytes=0-1,3-4", "bytes=5-2", "bytes=-", "bits=0-1", "bytes=a-b"]
)
async def test_a_range_that_cannot_be_read_gives_the_whole(tmp_path: Path, requested: str) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, SMALL), f"Range: {requested}")
    assert (answer.status, answer.body) == (200, SMALL)


async def test_a_range_of_another_file_gives_the_whole(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        path = keep(edge, SMALL)
        other = await edge.get(path, "Range: bytes=0-1", 'If-Range: "other"')
        same = await edge.get(path, "Range: bytes=0-1", f'If-Range: "{"01" * 32}"')
    assert (other.status, same.status, same.body) == (200, 206, b"01")


async def test_a_file_in_the_browsers_cache_is_not_sent_again(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        answer = await edge.get(keep(edge, SMALL), f'If-None-Match: "x", W/"{"01" * 32}"')
    assert (answer.status, answer.body) == (304, b"")
    assert answer.headers["cache-control"] == IMMUTABLE


async def test_only_a_valid_name_reaches_the_folder(tmp_path: Path) -> None:
    digest = "01" * 32
    (tmp_path / "secret.png").write_bytes(b"secret")
    async with running_edge(None, state=tmp_path) as edge:
        good = keep(edge, SMALL)
        link = tmp_path / "assets" / object_name(bytes([2]) * 32, "png")
        link.parent.mkdir(parents=True)
        link.symlink_to(tmp_path / "secret.png")
        upload = tmp_path / "assets" / "uploads" / "01940b3e-0000-7000-8000-0000000000c3"
        upload.parent.mkdir()
        upload.write_bytes(b"secret")
        assert (await edge.get(good)).status == 200
        for path in (
            good.replace(".png", ".jpg"),
            good.replace(".png", ".svg"),
            good.upper().replace("ASSETS", "assets"),
            good + "%00",
            f"/assets/02/02/{digest}.png",
            f"/assets/01/02/{digest}.png",
            "/assets/../secret.png",
            "/assets/..%2f..%2fsecret.png",
            "/assets/%2e%2e/%2e%2e/secret.png",
            "/assets/01/01/..",
            "/assets/uploads/01940b3e-0000-7000-8000-0000000000c3",
            f"/assets/{object_name(bytes([2]) * 32, 'png')}",
            f"/assets/{object_name(bytes([3]) * 32, 'png')}",
        ):
            answer = await edge.get(path)
            assert answer.status == 404, path
            assert b"secret" not in answer.body


async def test_an_edge_with_a_bucket_serves_no_assets(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path, assets_store="s3://bucket") as edge:
        answer = await edge.get(f"/assets/{object_name(bytes(32), 'png')}")
    assert (answer.status, answer.code) == (404, "not_found")


async def test_a_client_that_reads_nothing_delays_no_other(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        path = keep(edge, LARGE * 16, "mp4")
        small = keep(edge, SMALL, number=2)
        async with connection(edge.port) as (_, slow):
            slow.write(get(path))
            await slow.drain()
            answers = await asyncio.gather(*(edge.get(small) for _ in range(20)))
    assert {answer.body for answer in answers} == {SMALL}


async def test_a_file_removed_while_it_is_sent_breaks_the_connection(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        path = keep(edge, LARGE * 16, "mp4")
        async with connection(edge.port) as (reader, writer):
            writer.write(get(path))
            head = await reader.readuntil(b"\r\n\r\n")
            (tmp_path / path.lstrip("/")).unlink()
            rest = await reader.read()
            while more := await reader.read():
                rest += more
    assert f"content-length: {len(LARGE) * 16}".encode() in head
    assert len(rest) < len(LARGE) * 16


async def test_what_is_served_is_counted(tmp_path: Path) -> None:
    async with running_edge(None, state=tmp_path) as edge:
        path = keep(edge, SMALL)
        await edge.get(path)
        await edge.get(path, "Range: bytes=0-1")
        assert edge.context.metrics.assets == {"200": 1, "206": 1}
        assert edge.context.metrics.asset_bytes == 12
