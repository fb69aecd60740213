"""Checks that the demo's ads are served, so that the commands on the screen work."""

import time
from collections.abc import Callable
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

_WAIT_S = 10.0
_CHECK_EVERY_S = 0.1


def report_unfilled(
    edges: dict[str, tuple[str, str]], slots: list[str], report: Callable[[str], None]
) -> None:
    """Wait until every slot is filled on every edge (environment → address and key).

    Slots that stay unfilled are only reported: campaigns may have been paused on purpose.
    """
    waiting = [(environment, slot) for environment in edges for slot in slots]
    deadline = time.monotonic() + _WAIT_S
    while waiting and time.monotonic() < deadline:
        waiting = [(name, slot) for name, slot in waiting if not _fills(*edges[name], slot)]
        if waiting:
            time.sleep(_CHECK_EVERY_S)
    for environment, slot in waiting:
        report(f"no ad is served for slot {slot} in {environment}; is its campaign active?")


def _fills(edge_url: str, key: str, slot: str) -> bool:
    query = urlencode({"slot": slot})
    request = Request(  # noqa: S310 - our own loopback address
        f"{edge_url}/v1/serve?{query}", headers={"X-Service-Key": key}
    )
    try:
        with urlopen(request, timeout=2) as answer:  # noqa: S310 - as above
            return bool(answer.status == 200)  # noqa: PLR2004 - HTTP's own number
    except HTTPError as refusal:
        refusal.close()
        return False
    except (URLError, OSError):
        return False
