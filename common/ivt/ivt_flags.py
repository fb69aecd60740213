"""
The judge's findings about one request, as bits: a verdict depends only on them and on kind, surface and time.

They contain nothing about the person, so they are stored with the event; judged again, they give the same verdict.
"""

from typing import Final

PREFETCH: Final = 1 << 0
"""The request declared itself speculative."""
NO_AGENT: Final = 1 << 1
ROBOT: Final = 1 << 2
"""The agent of a robot, or of a generic HTTP library."""
UNKNOWN_AGENT: Final = 1 << 3
DATACENTER: Final = 1 << 4
INTERNAL: Final = 1 << 5
"""From the property's own excluded ranges at that time."""
FOREIGN_ORIGIN: Final = 1 << 6
"""A page on a host that was not the property's own."""
MAIL_PROXY: Final = 1 << 7
LINK_SCANNER: Final = 1 << 8
SERVER_CALLER: Final = 1 << 9
AFTER_END: Final = 1 << 10
"""The campaign was over, according to the edge's snapshot."""

ALL_FLAGS: Final = (1 << 11) - 1
