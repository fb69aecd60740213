"""Whatever the body or the path, no operation of the edge fails on our side, and each error has the usual envelope."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from common.contract.audio import STITCH
from common.contract.conversions import CLICK_VERIFICATION, CONVERSION
from common.contract.edge import TRACK, TRACK_MANY
from common.contract.emails import EMAIL_PREPARE
from common.contract.operation import Operation
from edge.stitching.session_urls import PATH
from tests.control.proof.odd_bodies import odd_bodies
from tests.edge.email.mail_world import a_mail_ad, a_mail_slot
from tests.edge.stitching.stitching_edge import StitchingEdge, an_uploaded_ad, stitching_edge
from tests.support.builders import a_campaign
from tests.support.raw_http import RawAnswer, ask

_BODIES, _PATHS = 150, 150
_OPERATIONS = (STITCH, EMAIL_PREPARE, TRACK, TRACK_MANY, CONVERSION, CLICK_VERIFICATION)
_MEDIA = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.0,\ns0.ts\n#EXT-X-ENDLIST\n"


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[StitchingEdge]:
    campaign = a_campaign()
    mails = (a_mail_slot(), campaign, a_mail_ad(campaign))
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a"), *mails) as made:
        made.origin.files["/show.m3u8"] = _MEDIA.encode()
        yield made


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda operation: operation.id)
async def test_an_odd_body_is_no_fault_of_ours(edge: StitchingEdge, operation: Operation) -> None:
    for body in odd_bodies(operation.body_example, _BODIES):
        answer = await send(edge, operation.method, operation.path, body)
        assert_no_fault(answer, body[:500])


async def test_an_odd_path_of_a_session_is_no_fault_of_ours(edge: StitchingEdge) -> None:
    content = {"url": edge.origin.url("/show.m3u8"), "kind": "hls"}
    body = {"slot": "podcast", "breaks": [{"id": "pre", "type": "pre"}], "output": "hls"}
    url = (await edge.stitch({**body, "content": content}))["url"]
    path, _, query = url.removeprefix("https://edge.example").partition("?")
    base = path.removesuffix(".m3u8")
    for odd in odd_paths(base, query.removeprefix("content=")):
        assert_no_fault(await send(edge, "GET", odd), odd)


def odd_paths(base: str, signed: str) -> list[str]:
    """Of playlists, segments and files, of the session with *base* and of none. The same in every run."""
    found: list[str] = []
    text = st.one_of(
        st.text(st.characters(codec="utf-8"), max_size=20),
        st.integers(-(10**20), 10**20).map(str),
        st.sampled_from(["9" * 5000, "\u00b2", "\u0663", "..", "%", "\0", "\r\n", "a" * 5000]),
        st.sampled_from(["0", "0.ts", "0.aac", "99.mp3", "v0.m3u8", "a0.m3u8"]),
    )
    bases = st.sampled_from([base, f"{PATH}/{'0' * 32}", PATH])
    named = st.tuples(bases, st.sampled_from([".m3u8", ".mp3", ".aac", ".xml"])).map("".join)
    signatures = st.one_of(text, st.sampled_from([signed, "QQ.\u00e9", "QQ.0", "\u00e9.QQ", "."]))

    @settings(
        max_examples=_PATHS,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(bases, st.lists(text, min_size=1, max_size=3), named, signatures)
    def collect(start: str, parts: list[str], file: str, signature: str) -> None:
        found.append("/".join([start, *[quote(part, safe="") for part in parts]]))
        found.append(f"{file}?content={quote(signature, safe='')}")

    collect()
    return list(dict.fromkeys(found))


def assert_no_fault(answer: RawAnswer, sent: object) -> None:
    assert answer.status < 500, (sent, answer)
    if answer.status >= 400:
        assert answer.json["error"]["code"], (sent, answer)


async def send(edge: StitchingEdge, method: str, path: str, body: bytes = b"") -> RawAnswer:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: test",
        f"Authorization: Bearer {edge.key}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return await ask(edge.edge.port, ("\r\n".join(lines) + "\r\n\r\n").encode() + body)
