"""
The destination of a click: the ad's address from the snapshot, checked again, with its macros filled in.

No text of the request becomes part of it, so a click URL cannot be turned into a redirect to another site.
"""

from urllib.parse import quote, urlsplit, urlunsplit

from common.tracking.token import TokenPayload

MAX_URL_CHARS = 2048
_CLICK_ID = "sa_click_id="
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Of the visitor's own machine, for trying out an ad; only there is http allowed."""
_SAFE = "%/:=&?~#+!$,;'@()*[]{}"
"""Characters left as the advertiser wrote them. All others, above all non-ASCII ones, are percent-encoded."""


class DestinationInvalid(ValueError):
    """The ad's click address must not be redirected to."""


def build_destination(click_url: str, token: TokenPayload, click_id: str, now_ms: int) -> str:
    """
    *click_url* with ``{click_id}``, ``{campaign_id}``, ``{ad_id}``, ``{slot_id}``, ``{property_id}`` and
    ``{timestamp}`` (epoch ms) filled in. ``sa_click_id`` is added to its query and replaces any that is there.
    *click_id*: signed. Raises `DestinationInvalid`.
    """
    values = {
        "click_id": click_id,
        "campaign_id": str(token.campaign_id),
        "ad_id": str(token.ad_id),
        "slot_id": str(token.slot_id),
        "property_id": str(token.property_id),
        "timestamp": str(now_ms),
    }
    _check(click_url)
    filled = click_url
    for name, value in values.items():
        filled = filled.replace(f"{{{name}}}", quote(value, safe=""))
    parts = urlsplit(quote(filled, safe=_SAFE))
    own = parts.query.split("&") if parts.query else []
    kept = [one for one in own if not one.startswith(_CLICK_ID)]
    query = "&".join([*kept, f"{_CLICK_ID}{values['click_id']}"])
    return urlunsplit(parts._replace(query=query))


def _check(url: str) -> None:
    """Applies the rules for new addresses again: a snapshot may hold addresses older than the rules."""
    if len(url) > MAX_URL_CHARS or any(char <= " " or char in "\x7f\\" for char in url):
        raise DestinationInvalid("too long, or with control characters, spaces or backslashes")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise DestinationInvalid(str(error)) from error
    is_local = parts.scheme == "http" and host in _LOCAL_HOSTS
    if (
        not host
        or not host.isascii()
        or "@" in parts.netloc
        or not (is_local or parts.scheme == "https")
    ):
        raise DestinationInvalid("not https, without a host, or with user information")
    if "{" in parts.netloc:
        raise DestinationInvalid("a macro in the host")
