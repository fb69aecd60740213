"""One request and its response, the same for both kinds of client."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from placard.errors import InvalidResponseError, NetworkError, RequestTimeoutError, error_of
from placard.version import VERSION

CLIENT = f"python/{VERSION}"
_PUBLISHABLE = "pk_"
_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Call:
    """``repeatable``: executing it twice changes nothing more than once does."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    repeatable: bool = False

    @property
    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()

    @property
    def all_headers(self) -> dict[str, str]:
        own = {} if self.body is None else {"Content-Type": "application/json"}
        return {**own, **self.headers}


@dataclass(frozen=True, slots=True)
class Answer:
    """``body``: the parsed JSON; None where there is none."""

    status: int
    headers: Mapping[str, str]
    body: Any


def headers_of(key: str, kinds: Sequence[str], server: str) -> dict[str, str]:
    """Raises `ValueError` for a key that *server* does not accept."""
    if not key.startswith(tuple(kinds)):
        listed = ", ".join(kinds)
        raise ValueError(f"{server} takes a key that begins with one of {listed}. Got {key[:3]}…")
    credential = (
        {"X-Service-Key": key}
        if key.startswith(_PUBLISHABLE)
        else {"Authorization": f"Bearer {key}"}
    )
    return {
        **credential,
        "X-Placard-Client": CLIENT,
        "User-Agent": f"placard-{CLIENT}",
        "Accept": "application/json",
    }


def idempotency_headers(given: str | None) -> dict[str, str]:
    """Made once for each call, so that its retries are one call to the service."""
    return {"Idempotency-Key": given or str(uuid.uuid4())}


def if_match(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": str(version)}


def read_response(response: httpx.Response) -> Answer:
    """Raises `ApiError` where it is no success."""
    body = _parse(response)
    request_id = response.headers.get("x-request-id")
    if not response.is_success:
        raise error_of(
            response.status_code,
            body,
            request_id=request_id,
            retry_after=response.headers.get("retry-after"),
        )
    if response.content and body is None:
        raise InvalidResponseError(
            "invalid_response",
            "The response is not JSON. Check the address, and proxies on the way.",
            status=response.status_code,
            request_id=request_id,
        )
    return Answer(response.status_code, response.headers, body)


def network_error(failure: httpx.RequestError, address: str) -> NetworkError:
    was_sent = not isinstance(failure, _NOT_CONNECTED)
    if isinstance(failure, httpx.TimeoutException):
        return RequestTimeoutError(f"{address} did not respond in time.", was_sent=was_sent)
    return NetworkError(f"No response from {address}: {failure}", was_sent=was_sent)


def _parse(response: httpx.Response) -> Any:
    try:
        return json.loads(response.content) if response.content else None
    except ValueError:
        return None
