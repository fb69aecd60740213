"""Table of all routes of the edge."""

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
from edge.http.app import Lifetime, add_operation, add_plain, edge_app


def create_app(lifetime: Lifetime) -> Sanic[Any, Any]:
    """*lifetime* opens the context before the first request and closes it after the last."""
    app = edge_app(lifetime)

    # The fast path answers nearly every request of this operation before Sanic; see `edge.fastpath.http1.fast_serve`.
    add_operation(app, SERVE, serve.handle, direct=True)
    if not SERVE.announces:
        answer_fast(app)
    add_operation(app, TRACK, track.handle, before_body=track.check_key)
    if not TRACK.announces:
        answer_track_fast(app)
    add_operation(app, TRACK_MANY, track_batch.handle, before_body=track.check_key)
    add_operation(app, FEATURES, features.handle, head=True)

    # Signed: the token is the credential, so no key is required. HEAD counts nothing.
    add_operation(app, IMPRESSION, impression.handle, head=True)
    add_operation(app, CLICK, click.handle, head=True)
    add_operation(app, FRAME, ad_frame.handle, head=True)

    # Conversions from the advertiser: from a server with its key, or with a click id from the thank-you page.
    add_operation(app, CONVERSION, conversion.handle, before_body=conversion.check_key)
    add_operation(app, CONVERSION_PIXEL, conversion_pixel.handle, head=True)

    # Uploaded files, under `assets_url`; no ad decision is made for them.
    add_plain(app, assets.PATH, assets.handle, name="assets")

    # For health checks on the machine; not in the public API description.
    add_plain(app, "/livez", health.livez)
    add_plain(app, "/readyz", health.readyz)
    return app
