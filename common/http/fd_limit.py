"""The file limit of a process: each connection is one file, and many systems start a program with 1 024."""

import resource
from typing import Final

import structlog

from common.http.connections import MAX_CONNECTIONS

_BESIDE_CONNECTIONS = 500
NEEDED_FILES: Final = MAX_CONNECTIONS + _BESIDE_CONNECTIONS
"""Open files of a process: connections of clients and of servers, and files that are sent."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


def raise_fd_limit() -> None:
    """Raises the limit to the system's maximum; logs a warning where that is less than connections may need."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < NEEDED_FILES:
        _log.warning("fd_limit_low", allowed=hard, needed=NEEDED_FILES)
