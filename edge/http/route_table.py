"""Table of all routes of the edge."""

from typing import Any

from sanic import Sanic

from common.contract.audio import STITCH
from common.contract.conversions import CLICK_VERIFICATION, CONVERSION, CONVERSION_PIXEL
from common.contract.edge import (
    CLICK,
    FEATURES,
    FRAME,
    IMPRESSION,
    SERVE,
    SIGNAL,
    TRACK,
    TRACK_MANY,
)
from common.contract.emails import EMAIL_CLICK, EMAIL_IMAGE, EMAIL_PREPARE
from edge.email.ad_template import DEMO_IMAGE_PATH
from edge.endpoints import (
    ad_frame,
    assets,
    audio_session,
    audio_stitch,
    click,
    click_verification,
    conversion,
    conversion_pixel,
    email_click,
    email_image,
    email_prepare,
    features,
    health,
    impression,
    serve,
    signal,
    track,
    track_batch,
)
from edge.fastpath.http1.fast_serve import answer_fast
from edge.fastpath.http1.fast_track import answer_track_fast
from edge.http.app import Lifetime, add_operation, add_plain, edge_app
from edge.stitching.session_urls import PATH as AUDIO_PATH


def create_app(lifetime: Lifetime, *, is_traced: bool = False) -> Sanic[Any, Any]:
    """
    *lifetime* opens the context before the first request and closes it after the last. *is_traced*: whether that
    context has traces.
    """
    app = edge_app(lifetime, is_traced=is_traced)

    # The fast path answers nearly every request of this operation before Sanic; see `edge.fastpath.http1.fast_serve`.
    add_operation(app, SERVE, serve.handle, direct=True)
    add_operation(app, TRACK, track.handle, before_body=track.check_key)
    if not SERVE.announces:
        answer_fast(app)
        if not (TRACK.announces or IMPRESSION.announces):
            answer_track_fast(app)  # it extends the connections of `answer_fast`
    add_operation(app, TRACK_MANY, track_batch.handle, before_body=track.check_key)
    add_operation(app, FEATURES, features.handle, head=True)

    # Signed: the token is the credential, so no key is required. HEAD counts nothing.
    add_operation(app, IMPRESSION, impression.handle, head=True)
    add_operation(app, SIGNAL, signal.handle, head=True)
    add_operation(app, CLICK, click.handle, head=True)
    add_operation(app, FRAME, ad_frame.handle, head=True)

    # Conversions from the advertiser: from a server with its key, or with a click id from the thank-you page.
    add_operation(app, CONVERSION, conversion.handle, before_body=conversion.check_server_key)
    add_operation(app, CONVERSION_PIXEL, conversion_pixel.handle, head=True)
    add_operation(
        app, CLICK_VERIFICATION, click_verification.handle, before_body=conversion.check_server_key
    )

    # Audio: a server requests a session, and its listeners get what its answer names.
    add_operation(app, STITCH, audio_stitch.handle, before_body=conversion.check_server_key)
    add_plain(app, f"{AUDIO_PATH}/<name:str>", audio_session.handle, name="audio-session")
    add_plain(
        app,
        f"{AUDIO_PATH}/<key:str>/<name:str>",
        audio_session.handle_playlist,
        name="audio-playlist",
    )
    add_plain(
        app,
        f"{AUDIO_PATH}/<key:str>/<ad:str>/<name:str>",
        audio_session.handle_segment,
        name="audio-segment",
    )
    # Mails: prepared by a server with its key, opened by links that are sealed. HEAD counts nothing.
    add_operation(app, EMAIL_PREPARE, email_prepare.handle, before_body=conversion.check_server_key)
    add_operation(app, EMAIL_IMAGE, email_image.handle, head=True)
    add_operation(app, EMAIL_CLICK, email_click.handle, head=True)
    add_plain(app, DEMO_IMAGE_PATH, email_image.handle_demo, name="demo-email-image")

    # Uploaded files, under `assets_url`; no ad decision is made for them.
    add_plain(app, assets.PATH, assets.handle, name="assets")

    # For health checks on the machine; not in the public API description.
    add_plain(app, "/livez", health.livez, is_counted=False)
    add_plain(app, "/readyz", health.readyz, is_counted=False)
    return app
