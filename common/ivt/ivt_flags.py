"""
What the judge found in one request, as bits: all that a verdict rests on besides kind, surface and time.

They say nothing of who it was, so they are kept with the event; judged again, they give the verdict they gave.
"""

from typing import Final

PREFETCH: Final = 1 << 0
"""The request declared itself speculative."""
NO_AGENT: Final = 1 << 1
ROBOT: Final = 1 << 2
"""A robot's agent, or a generic HTTP library's."""
UNKNOWN_AGENT: Final = 1 << 3
DATACENTER: Final = 1 << 4
INTERNAL: Final = 1 << 5
"""From the property's own excluded ranges, as they were."""
FOREIGN_ORIGIN: Final = 1 << 6
"""A page on a host that was not the property's own."""
MAIL_PROXY: Final = 1 << 7
LINK_SCANNER: Final = 1 << 8
SERVER_CALLER: Final = 1 << 9
AFTER_END: Final = 1 << 10
"""The campaign, as the edge knew it, was over."""

MOST: Final = (1 << 11) - 1
