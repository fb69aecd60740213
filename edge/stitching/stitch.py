"""Handles ``POST /v1/audio/stitch`` after admission: session, source, breaks, answer."""

import asyncio
import hashlib
from dataclasses import replace
from mimetypes import guess_type
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from common.contract.audio_models import (
    ContentKind,
    StitchBody,
    Stitched,
    StitchOutput,
)
from common.decision.rules.ad_limits import uploaded_urls
from common.values.clock import from_ms
from common.values.errors import ErrorCode, Refused
from common.values.ids import new_id
from common.values.messages import Message
from edge.admission.keys import Admission
from edge.audio.parts import AudioParts
from edge.audio.sessions import (
    SESSION_LIFE_S,
    AudioSession,
    SessionAd,
    SessionBreak,
    session_key,
)
from edge.context import EdgeContext
from edge.ports import AudioSessionStoreUnavailable
from edge.request.call import Call
from edge.serving.player_query import END, START
from edge.serving.render.issue_token import ServedAd
from edge.serving.render.vast import render_vast
from edge.serving.render.vmap import VmapBreak, render_vmap
from edge.serving.serve_request import ServeRequest, build_request, rebase
from edge.stitching.breaks import FilledBreak, empty_breaks, fill_breaks, stitched_break
from edge.stitching.hls import PLAYLIST_CODEC
from edge.stitching.joined import EXTENSIONS, find_joined
from edge.stitching.session_urls import session_url
from edge.stitching.sources import Source, find_source
from edge.stitching.stitch_body import query_of

HLS_TYPE: Final = "application/vnd.apple.mpegurl"
VMAP_TYPE: Final = "application/xml"
_READS_AT_ONCE: Final = 8
"""Sounds of one session that are read at once."""
_SERVER_COUNTS: Final = frozenset({StitchOutput.HLS, StitchOutput.FILE})


async def stitch(  # noqa: PLR0917 - all that an answer follows from
    edge: EdgeContext,
    audio: AudioParts,
    call: Call,
    admission: Admission,
    fields: Any,
    body: StitchBody,
) -> bytes:
    """
    Returns the JSON of the answer. *admission*: of the call. *fields*: the JSON of its body, to recognise a repeated
    one, whose spacing and order of names may differ.

    Raises `Refused`: the slot does not exist, or the session id was used with another body.
    """
    session_id = body.session_id or new_id()
    digest = hashlib.sha256(orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)).hexdigest()
    listener = Call(call.headers, call.caller, query_of(body), call.client)
    request = build_request(edge, listener, is_counted=False, admission=admission)
    edge.take_seed()
    key = session_key(audio.secret, request.opportunity.property.id, session_id)
    if body.session_id is not None:
        stored = await audio.find_session(key)
        if stored is not None:
            return _answer_again(stored, digest)
    made = await _new_session(edge, audio, request, body, session_id, key, digest)
    try:
        kept = await audio.sessions.put_new(key, made.encode(), SESSION_LIFE_S)
    except AudioSessionStoreUnavailable:
        if body.output is StitchOutput.PLAN:
            return made.answer.encode()
        return _original(body, session_id, empty_breaks(body), made.expires_ms).encode()
    return _answer_again(AudioSession.parse(kept), digest)


def _answer_again(session: AudioSession, digest: str) -> bytes:
    if session.request_digest != digest:
        raise Refused(
            ErrorCode.IDEMPOTENCY_KEY_REUSED,
            Message("This session_id was used with another body. Use a new one for each session."),
            param="session_id",
        )
    return session.answer.encode()


async def _new_session(  # noqa: PLR0917 - all that a session follows from
    edge: EdgeContext,
    audio: AudioParts,
    request: ServeRequest,
    body: StitchBody,
    session_id: str,
    key: str,
    digest: str,
) -> AudioSession:
    is_joined = body.output in _SERVER_COUNTS
    expires_ms = request.now_ms + SESSION_LIFE_S * 1000
    source: Source | None = None
    deadline_s = audio.deadline_s()
    if is_joined:
        source = await find_source(audio, body, request.opportunity.property.id)
        if source is None:
            answer = _original(body, session_id, empty_breaks(body), expires_ms)
            return AudioSession(request.opportunity.property.id, digest, answer, "", expires_ms)
    counts = request.seen
    if request.person is not None:
        counts = await edge.frequency_caps.find_cached(request.person, request.now_ms)
    request = rebase(edge, request)
    filled = fill_breaks(
        edge,
        request,
        body,
        counts,
        is_joined=is_joined,
        is_live=source is not None and source.is_live,
    )
    if body.output is StitchOutput.HLS:
        filled = await _with_renditions(audio, filled, deadline_s)
    session = AudioSession(
        property_id=request.opportunity.property.id,
        request_digest=digest,
        answer="",
        output=body.output,
        expires_ms=expires_ms,
        content_url=body.content.url,
        content_id=body.content.id or "",
        content_type="" if source is None else source.media_type,
        content_digest="" if source is None else source.digest,
        content_lufs=None if source is None else source.lufs,
        ad_markers=body.ad_markers if body.output is StitchOutput.HLS else "",
        breaks=[_session_break(one) for one in filled] if is_joined else (),
    )
    if body.output is StitchOutput.FILE:
        filled = await _without_unjoined(audio, session, key, filled, deadline_s)
    return _with_answer(edge, audio, request, session, (session_id, key), body, filled)


async def _without_unjoined(
    audio: AudioParts,
    session: AudioSession,
    key: str,
    filled: list[FilledBreak],
    deadline_s: float,
) -> list[FilledBreak]:
    """
    Breaks before which the content cannot be resumed, and those whose sounds have no rendition, stay empty. All do
    where the sounds are not there at *deadline_s*, of the event loop's clock.
    """
    joined = await find_joined(audio, session, key, deadline_s=deadline_s)
    if joined is None:
        return [one.emptied() for one in filled]
    empty = joined.empty_breaks
    return [one.emptied() if number in empty else one for number, one in enumerate(filled)]


async def _with_renditions(
    audio: AudioParts, filled: list[FilledBreak], deadline_s: float
) -> list[FilledBreak]:
    """
    Breaks with a sound that has no rendition for playlists stay empty. So do those whose sounds are not there at
    *deadline_s*, of the event loop's clock.
    """
    urls = dict.fromkeys(_uploaded_url(ad) for one in filled for ad in one.ads)
    reads = asyncio.Semaphore(_READS_AT_ONCE)
    checks = {url: asyncio.create_task(_has_rendition(audio, url, reads)) for url in urls}
    if not checks:
        return filled
    try:
        left_s = max(0.0, deadline_s - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait(checks.values(), timeout=left_s)
    finally:
        for check in checks.values():
            check.cancel()
    found = {url for url, check in checks.items() if check in done and check.result()}
    return [
        one if all(_uploaded_url(ad) in found for ad in one.ads) else one.emptied()
        for one in filled
    ]


async def _has_rendition(audio: AudioParts, media_url: str, reads: asyncio.Semaphore) -> bool:
    async with reads:
        sound = await audio.sounds.find(media_url)
    return sound is not None and sound.find_first(PLAYLIST_CODEC) is not None


def _session_break(one: FilledBreak) -> SessionBreak:
    return SessionBreak(
        None if one.is_at_end else one.offset_ms,
        [
            SessionAd(_uploaded_url(ad), ad.duration_ms or 0, ad.issued.track_token)
            for ad in one.ads
        ],
    )


def _uploaded_url(ad: ServedAd) -> str:
    """The first recording that was uploaded; `AdLimits.is_uploaded` demands one."""
    return uploaded_urls(ad.fill.ad.content)[0]


def _with_answer(  # noqa: PLR0917 - all that an answer follows from
    edge: EdgeContext,
    audio: AudioParts,
    request: ServeRequest,
    session: AudioSession,
    names: tuple[str, str],
    body: StitchBody,
    filled: list[FilledBreak],
) -> AudioSession:
    session_id, key = names
    if not any(one.ads for one in filled):
        answer = _original(body, session_id, filled, session.expires_ms)
        return replace(session, answer=answer, breaks=(), content_url=body.content.url)
    url, content_type = body.content.url, _content_type(body)
    document = ""
    if body.output is StitchOutput.VAST:
        document = _vmap(request, filled)
        url = session_url(edge, audio, key, "xml")
        content_type = VMAP_TYPE
    elif body.output is StitchOutput.HLS:
        url = session_url(edge, audio, key, "m3u8", body.content.url)
        content_type = HLS_TYPE
    elif body.output is StitchOutput.FILE:
        content_type = session.content_type
        url = session_url(edge, audio, key, EXTENSIONS[content_type], body.content.url)
    answer = _answer(body, session_id, filled, session.expires_ms, (url, content_type))
    return replace(session, answer=answer, document=document)


def _original(body: StitchBody, session_id: str, filled: list[FilledBreak], expires_ms: int) -> str:
    return _answer(body, session_id, filled, expires_ms, (body.content.url, _content_type(body)))


def _answer(
    body: StitchBody,
    session_id: str,
    filled: list[FilledBreak],
    expires_ms: int,
    played: tuple[str | None, str | None],
) -> str:
    server_counts = body.output in _SERVER_COUNTS
    breaks = [stitched_break(one, server_counts=server_counts) for one in filled]
    return Stitched(
        session_id=session_id,
        expires_at=from_ms(expires_ms),
        content_type=played[1],
        url=played[0],
        filled_ms=sum(one.duration_ms for one in breaks),
        breaks=breaks,
    ).model_dump_json()


def _content_type(body: StitchBody) -> str | None:
    if body.content.url is None:
        return None
    if body.content.kind is ContentKind.HLS:
        return HLS_TYPE
    guessed, _ = guess_type(urlsplit(body.content.url).path)
    return guessed or "application/octet-stream"


def _vmap(request: ServeRequest, filled: list[FilledBreak]) -> str:
    snapshot, prop = request.admission.snapshot, request.opportunity.property
    return render_vmap(
        [
            VmapBreak(
                one.id,
                END if one.is_at_end else START if not one.offset_ms else one.offset_ms,
                vast=render_vast(snapshot, prop, one.ads, is_pod=True).decode(),
            )
            for one in filled
            if one.ads
        ]
    )
