"""The file limit of a process: each connection is one file, and many systems start a program with 1 024."""

import resource

import structlog

from common.http.connections import MAX_CONNECTIONS

_BESIDE_CONNECTIONS = 500
_log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


def raise_fd_limit() -> None:
    """Raises the limit to the system's maximum; logs a warning where that is less than connections may need."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    needed = MAX_CONNECTIONS + _BESIDE_CONNECTIONS
    if hard != resource.RLIM_INFINITY and hard < needed:
        _log.warning("fd_limit_low", allowed=hard, needed=needed)
