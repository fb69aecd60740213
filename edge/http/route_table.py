"""The edge's whole surface on one screen."""

from typing import Any

from sanic import Sanic

from common.contract.conversions import CONVERSION, CONVERSION_PIXEL
from common.contract.edge import CLICK, FEATURES, FRAME, IMPRESSION, SERVE, TRACK, TRACK_MANY
from edge.endpoints import (
    ad_frame,
    assets,
    click,
    conversion,
    conversion_pixel,
    features,
    health,
    impression,
    serve,
    track,
    track_batch,
)
from edge.fastpath.http1.fast_serve import answer_fast
from edge.fastpath.http1.fast_track import answer_track_fast
from edge.http.app import add_operation, add_plain, edge_app
from edge.http.lifetime import Lifetime


def create_app(lifetime: Lifetime) -> Sanic[Any, Any]:
    """*lifetime* opens the context before the first request and closes it after the last."""
    app = edge_app(lifetime)

    # Nearly every call of this one is answered before Sanic sees it; see `edge.fastpath.http1.fast_serve`.
    add_operation(app, SERVE, serve.handle, direct=True)
    if not SERVE.announces:
        answer_fast(app)
    add_operation(app, TRACK, track.handle, before_body=track.check_key)
    if not TRACK.announces:
        answer_track_fast(app)
    add_operation(app, TRACK_MANY, track_batch.handle, before_body=track.check_key)
    add_operation(app, FEATURES, features.handle, head=True)

    # Signed: the token is the credential, so no key is asked for. HEAD counts nothing.
    add_operation(app, IMPRESSION, impression.handle, head=True)
    add_operation(app, CLICK, click.handle, head=True)
    add_operation(app, FRAME, ad_frame.handle, head=True)

    # From the advertiser: by a server with its key, or by a click's id on the thank-you page.
    add_operation(app, CONVERSION, conversion.handle, before_body=conversion.check_key)
    add_operation(app, CONVERSION_PIXEL, conversion_pixel.handle, head=True)

    # Uploaded files, under `assets_url`; nothing of them is decided here.
    add_plain(app, assets.PATH, assets.handle, name="assets")

    # For the machine's own eyes; not in the public description.
    add_plain(app, "/livez", health.livez)
    add_plain(app, "/readyz", health.readyz)
    return app
