"""``python -m edge.worker``: one worker process. The supervisor starts it; do not start it by hand."""

import sys
from typing import Any

import uvloop
from sanic import Sanic

from common.http.fd_limit import raise_fd_limit
from common.service.logging import configure_logging
from common.service.tracing import read_tracing
from edge.http.route_table import create_app
from edge.runtime.process_exit import die_with_parent
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient
from edge.wiring import worker_lifetime
from edge.worker.worker_main import parse_worker_config, serve


def main() -> None:
    place = parse_worker_config(sys.argv[1:])
    die_with_parent(place.parent)
    settings, tracing = EdgeSettings(), read_tracing()
    configure_logging(log_format=settings.log_format)
    raise_fd_limit()

    def make_app(link: FeedClient) -> Sanic[Any, Any]:
        lifetime = worker_lifetime(settings, link, tracing)
        return create_app(lifetime, is_traced=tracing is not None)

    uvloop.run(serve(settings, place, make_app))


if __name__ == "__main__":
    main()
