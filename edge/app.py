"""The edge's whole surface on one screen."""

from sanic import Sanic

from common.contract.edge import CLICK, FEATURES, IMPRESSION, SERVE, TRACK
from edge.context import EdgeContext
from edge.endpoints import click, features, health, impression, serve, track
from edge.http.app import add_operation, add_plain, bare_app
from edge.http.lifetime import Lifetime


def create_app(lifetime: Lifetime) -> Sanic:
    """*lifetime* opens the context before the first request and closes it after the last."""
    app = bare_app("placard-edge", lifetime)

    add_operation(app, SERVE, serve.handle)
    add_operation(app, TRACK, track.handle)
    add_operation(app, FEATURES, features.handle)

    # Signed: the token is the credential, so no key is asked for.
    add_operation(app, IMPRESSION, impression.handle)
    add_operation(app, CLICK, click.handle)

    # For the machine's own eyes; not in the public description.
    add_plain(app, "/livez", health.livez)
    add_plain(app, "/readyz", health.readyz)
    return app


__all__ = ["EdgeContext", "create_app"]
