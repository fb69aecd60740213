"""
``GET /v1/audio/sessions/…``: what listeners receive of a session. It is counted as it is sent.

A session whose content is slow, gone or changed leads to the original content. So does one that is lost, by the address
that its URL carries.
"""

import asyncio
import os
import re
from typing import Final

from sanic import HTTPResponse, Request

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.audio.join import JoinedFile
from edge.audio.parts import AudioParts
from edge.audio.sessions import AudioSession
from edge.context import EdgeContext
from edge.endpoints.assets import find_range
from edge.endpoints.audio_stitch import parts_of
from edge.request.call import call_of
from edge.stitching import hls
from edge.stitching.delivery import DOWNLOAD_MS, Span, ads_of, record_ad, record_content
from edge.stitching.joined import EXTENSIONS, find_content, find_joined
from edge.stitching.session_urls import PATH, find_content_url
from edge.stitching.stitch import HLS_TYPE, VMAP_TYPE
from edge.tracking.redeem import RequestEvidence, request_evidence

_NAME = re.compile(r"(?P<key>[0-9a-f]{32})\.(?P<extension>xml|m3u8|mp3|aac)")
_KEY = re.compile(r"[0-9a-f]{32}")
_PLAYLIST = re.compile(r"(?P<kind>[va])(?P<number>[0-9]{1,4})\.m3u8")
_AD = re.compile(r"[0-9]{1,4}")
_SEGMENT = re.compile(r"(?P<number>[0-9]{1,4})\.(?P<codec>ts|aac|mp3)")
_PIECE_BYTES: Final = 65_536
_HEADERS: Final = {"Cache-Control": "no-store"}
_FOUND: Final = 302


async def handle(request: Request, name: str) -> HTTPResponse:
    """The document, playlist or file of a session."""
    edge: EdgeContext = request.app.ctx.edge
    audio = parts_of(edge)
    named = _NAME.fullmatch(name)
    if named is None:
        raise _unknown()
    key, extension = named["key"], named["extension"]
    session = await audio.find_session(key)
    if session is None:
        return _lost(request, audio, key)
    if extension == "xml" and session.document:
        return HTTPResponse(session.document, headers=_HEADERS, content_type=VMAP_TYPE)
    if extension == "m3u8" and session.output == "hls":
        return await _playlist(edge, audio, session, key, None)
    if EXTENSIONS.get(session.content_type) == extension:
        return await _file(request, edge, audio, session, key)
    raise _unknown()


async def handle_playlist(request: Request, key: str, name: str) -> HTTPResponse:
    """The playlist of a variant of the content (``v0.m3u8``), or of an ad alone (``a0.m3u8``)."""
    edge: EdgeContext = request.app.ctx.edge
    audio = parts_of(edge)
    named = _PLAYLIST.fullmatch(name)
    session = await audio.find_session(key) if named is not None and _KEY.fullmatch(key) else None
    if named is None or session is None or session.output != "hls":
        raise _unknown()
    number = int(named["number"])
    if named["kind"] == "v":
        return await _playlist(edge, audio, session, key, number)
    text = await hls.single_ad_playlist(audio, session, _base_url(edge, key), number)
    if text is None:
        raise _unknown()
    return HTTPResponse(text, headers=_HEADERS, content_type=HLS_TYPE)


async def handle_segment(request: Request, key: str, ad: str, name: str) -> HTTPResponse:
    """A segment of an ad. The ad counts when all of them were sent."""
    edge: EdgeContext = request.app.ctx.edge
    audio = parts_of(edge)
    named = _SEGMENT.fullmatch(name)
    session = await audio.find_session(key) if named is not None and _KEY.fullmatch(key) else None
    ads = [] if session is None or session.output != "hls" else ads_of(session)
    is_known = _AD.fullmatch(ad) is not None and int(ad) < len(ads)
    if named is None or session is None or not is_known:
        raise _unknown()
    number, codec = int(named["number"]), named["codec"]
    try:
        async with asyncio.timeout_at(audio.deadline_s()):
            found = await hls.segment_body(audio, ads[int(ad)], codec, number)
    except OSError:
        # Or TimeoutError, which is one. A player tries again, or goes on with the content.
        found = None
    if found is None:
        raise _unknown()
    body, total = found
    if request.method == "HEAD":
        return HTTPResponse(None, headers=_HEADERS, content_type=hls.MEDIA_TYPES[codec])
    answer: HTTPResponse = await request.respond(
        headers=_HEADERS | {"content-length": str(len(body))},
        content_type=hls.MEDIA_TYPES[codec],
    )
    evidence, span = _evidence(request), (number, number + 1)
    await answer.send(body)
    await audio.count(record_ad(edge, audio, key, session, int(ad), span, total, evidence))
    return answer


async def _playlist(
    edge: EdgeContext, audio: AudioParts, session: AudioSession, key: str, variant: int | None
) -> HTTPResponse:
    text, original_url = await hls.content_playlist(
        audio, session, key, _base_url(edge, key), variant, edge.clock.now_ms()
    )
    if text is None:
        return _redirect(original_url)
    return HTTPResponse(text, headers=_HEADERS, content_type=HLS_TYPE)


async def _file(
    request: Request, edge: EdgeContext, audio: AudioParts, session: AudioSession, key: str
) -> HTTPResponse:
    joined = await find_joined(audio, session, key, deadline_s=audio.deadline_s())
    content = None if joined is None else await find_content(audio, session)
    if joined is None or content is None:
        return _redirect(session.content_url)
    # Where an ad's sound could not be read, its break is empty here and may be filled at another worker.
    layout = "".join(f"-{number}" for number in joined.empty_breaks)
    etag = f'"{key}-{session.content_digest[:16]}{layout}"'
    headers = {**_HEADERS, "ETag": etag, "Accept-Ranges": "bytes"}
    requested = find_range(request, etag, joined.size_bytes)
    start, count = requested or (0, joined.size_bytes)
    status = 200 if requested is None else 206
    if requested is not None:
        headers["Content-Range"] = f"bytes {start}-{start + count - 1}/{joined.size_bytes}"
    headers["content-length"] = str(count)
    if request.method == "HEAD":
        return HTTPResponse(None, status=status, headers=headers, content_type=session.content_type)
    answer: HTTPResponse = await request.respond(
        status=status, headers=headers, content_type=session.content_type
    )
    sent, evidence = start, _evidence(request)
    try:
        with content.path.open("rb") as file:
            while sent < start + count:
                part = joined.parts[joined.part_at(sent)]
                inside = sent - part.start
                size = min(_PIECE_BYTES, part.size_bytes - inside, start + count - sent)
                if part.body is not None:
                    piece = part.body[inside : inside + size]
                else:
                    at = part.content_start + inside
                    piece = await audio.contents.run(lambda: _read(file.fileno(), at, size))  # noqa: B023
                await answer.send(piece)
                sent += len(piece)
    finally:
        await audio.count(_record(edge, audio, session, key, joined, (start, sent), evidence))
    return answer


async def _record(  # noqa: PLR0917 - all that a record follows from
    edge: EdgeContext,
    audio: AudioParts,
    session: AudioSession,
    key: str,
    joined: JoinedFile,
    sent: Span,
    evidence: RequestEvidence,
) -> None:
    """Counts the ads and the content in the bytes *sent*, also where the listener broke off."""
    content_spans, content_total = list[Span](), 0
    for part in joined.parts:
        first, last = max(sent[0], part.start), min(sent[1], part.start + part.size_bytes)
        at, span = part.content_start, (first - part.start, last - part.start)
        if part.ad is not None:
            if last > first:
                total = part.size_bytes
                await record_ad(edge, audio, key, session, part.ad, span, total, evidence)
        elif part.body is None:
            content_total += part.size_bytes
            if last > first:
                content_spans.append((at + span[0], at + span[1]))
    content = await find_content(audio, session)
    if content is None or content.frames is None:
        return
    minute = content_total * DOWNLOAD_MS // max(DOWNLOAD_MS, content.frames.duration_ms)
    await record_content(edge, audio, key, session, content_spans, minute, evidence)


def _read(descriptor: int, at: int, size: int) -> bytes:
    return os.pread(descriptor, size, at)


def _evidence(request: Request) -> RequestEvidence:
    call = call_of(request)
    return request_evidence(call, ip=call.client.ip, server_caller=False, reads_origin=False)


def _lost(request: Request, audio: AudioParts, key: str) -> HTTPResponse:
    url = find_content_url(audio, key, request.args.get("content"))
    if url is None:
        raise _unknown()
    return _redirect(url)


def _redirect(url: str | None) -> HTTPResponse:
    if url is None:
        raise _unknown()
    return HTTPResponse(None, status=_FOUND, headers=_HEADERS | {"Location": url})


def _base_url(edge: EdgeContext, key: str) -> str:
    return f"{edge.settings.edge_url}{PATH}/{key}"


def _unknown() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        Message(
            "This session does not exist, or has expired. Use the URLs of `POST /v1/audio/stitch` "
            "within a day."
        ),
    )
