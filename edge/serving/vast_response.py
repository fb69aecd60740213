"""Answers ``output=vast`` with the ads of one break, and ``output=vmap`` with the breaks of one content."""

from typing import Final
from urllib.parse import quote

from common.decision.rules.gates import Lookup
from common.decision.rules.outcome import NoFill
from common.http.answer import RawResponse, response_head
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.player_query import END, START, PlayerParams
from edge.serving.pod import fill_pod
from edge.serving.render.vast import render_vast
from edge.serving.render.vmap import VmapBreak, render_vmap
from edge.serving.serve_request import ServeRequest
from edge.serving.serve_response import render_no_fill

XML: Final = "application/xml; charset=utf-8"
_HEAD: Final = response_head({"Cache-Control": "no-store", "content-type": XML})
_REPLACED: Final = frozenset({"output", "breaks", "empty", "macros"})
"""Query parameters of a VMAP request that its ad tags have other values for, or lack."""


def answer_vast(
    edge: EdgeContext, request: ServeRequest, params: PlayerParams, counts: Lookup | None
) -> RawResponse:
    """
    A pod counts as one filled request for each of its ads, and as an unfilled one only if it is empty.

    *counts*: the user's frequency counts.
    """
    snapshot, prop = request.admission.snapshot, request.opportunity.property
    pod = fill_pod(edge, request, counts, params.size)
    if not pod.ads and pod.last is not None and isinstance(pod.last.decision, NoFill):
        bodiless = render_no_fill(edge, request, pod.last, pod.last.decision.reason)
        if not params.is_never_bodiless:
            return bodiless
        headers = {**bodiless.headers, "Cache-Control": "no-store", "content-type": XML}
        empty = render_vast(snapshot, prop, (), params.version)
        return RawResponse(response_head(headers), empty, headers=headers)
    document = render_vast(
        snapshot,
        prop,
        pod.ads,
        params.version,
        is_pod=params.is_pod,
        has_plain_macros=params.has_plain_macros,
    )
    return RawResponse(_HEAD, document)


def answer_vmap(edge: EdgeContext, call: Call, params: PlayerParams) -> RawResponse:
    """
    Each break refers to the ad tag that requests its ads, so nothing is decided before the break is near, and its
    tokens are fresh. The tag repeats the request's own parameters.
    """
    tag_url = f"{edge.settings.edge_url}/v1/serve?{_tag_query(call)}"
    breaks = [
        VmapBreak(f"break-{number}", at if at in {START, END} else int(at), tag_url)
        for number, at in enumerate(params.breaks, 1)
    ]
    return RawResponse(_HEAD, render_vmap(breaks, params.version).encode())


def _tag_query(call: Call) -> str:
    """
    A player cannot set headers, so a publishable key moves to the query. A secret key never does: the server that sent
    it requests the ad tags itself.
    """
    parts = [
        part
        for part in call.query_string.split("&")
        if part and part.partition("=")[0] not in _REPLACED
    ]
    key = (call.caller.service_key or "").strip(" \t")
    if key:
        parts = [part for part in parts if part.partition("=")[0] != "key"]
        parts.append(f"key={quote(key)}")
    return "&".join([*parts, "output=vast", "empty=vast", "macros=plain"])
