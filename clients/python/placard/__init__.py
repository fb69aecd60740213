"""
Client library of the Placard ad server.

`EdgeClient` serves ads and reports what happens to them; `ManagementClient` manages campaigns, ads, properties, keys
and reports, and reads events. `AsyncEdgeClient` and `AsyncManagementClient` are the same for asyncio.
"""

from placard import types
from placard.asynchronous.edge import AsyncEdgeClient
from placard.asynchronous.management import AsyncManagementClient
from placard.cursors import CursorFile, CursorStore
from placard.errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ExpiredError,
    InvalidRequestError,
    InvalidResponseError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    PlacardError,
    RateLimitedError,
    RequestTimeoutError,
    ServerError,
)
from placard.requests import Consent, Decision, Visitor
from placard.synchronous.edge import EdgeClient
from placard.synchronous.management import ManagementClient
from placard.version import VERSION

__all__ = [
    "VERSION",
    "ApiError",
    "AsyncEdgeClient",
    "AsyncManagementClient",
    "AuthenticationError",
    "ConflictError",
    "Consent",
    "CursorFile",
    "CursorStore",
    "Decision",
    "EdgeClient",
    "ExpiredError",
    "InvalidRequestError",
    "InvalidResponseError",
    "ManagementClient",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "PlacardError",
    "RateLimitedError",
    "RequestTimeoutError",
    "ServerError",
    "Visitor",
    "types",
]
