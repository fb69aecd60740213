"""
Headers with which a server that stitches ads into a stream names the device: ``X-Device-IP`` and
``X-Device-User-Agent`` (VAST 4.2, "Server-Side Ad Stitching").
"""

from typing import Final, final

from common.privacy.anonymize import find_address
from edge.request.call import Headers

_ADDRESS: Final = "x-device-ip"
_AGENT: Final = "x-device-user-agent"


@final
class DeviceHeaders:
    """
    ``address``, ``user_agent``: None where the header is missing. ``has_bad_address``: it is no address, so that
    ``address`` is None too.
    """

    def __init__(self, headers: Headers) -> None:
        text = (headers.get(_ADDRESS) or "").strip()
        address = find_address(text) if text else None
        self.address: str | None = None if address is None else str(address)
        self.has_bad_address: bool = bool(text) and address is None
        self.user_agent: str | None = (headers.get(_AGENT) or "").strip() or None
