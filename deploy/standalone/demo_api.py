"""A client of the management API for the demo: JSON over HTTP with the standard library."""

import json
import secrets
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from deploy.standalone.errors import StartError

_TIMEOUT_S = 20.0
_MAX_TRIES = 10


class RefusedError(StartError):
    """The service responded with its error envelope."""

    def __init__(
        self, what: str, status: int, error: dict[str, Any], retry_after_s: float | None
    ) -> None:
        self.retry_after_s = retry_after_s
        self.code = str(error.get("code", ""))
        super().__init__(f"{what} answered {status} {json.dumps(error)}")


class DemoApi:
    """Calls one service; without authentication until `token` is set."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self.token = ""

    def post(
        self,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str = "",
        **query: str,
    ) -> dict[str, Any]:
        """The response's object. Waits as long as the service requests when a rate limit is exceeded.

        Raise `RefusedError`, or `StartError` if there is no response.
        """
        request = self._request("POST", path, **query)
        if body is not None:
            request.data = json.dumps(body).encode("utf-8")
            request.add_header("Content-Type", "application/json")
        if idempotency_key:
            request.add_header("Idempotency-Key", idempotency_key)
        return _ask_patiently(request)

    def post_file(self, path: str, file: Path, **query: str) -> dict[str, Any]:
        """Sends *file* as a form; see `post`."""
        request = self._request("POST", path, **query)
        border = secrets.token_hex(16)
        head = (
            f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        request.data = head.encode() + file.read_bytes() + f"\r\n--{border}--\r\n".encode()
        request.add_header("Content-Type", f"multipart/form-data; boundary={border}")
        return _ask_patiently(request)

    def get(self, path: str) -> dict[str, Any]:
        """The object at *path*; see `post`."""
        return _ask_patiently(self._request("GET", path))

    def _request(self, method: str, path: str, **query: str) -> Request:
        url = self._base_url + path + ("?" + urlencode(query) if query else "")
        request = Request(url, method=method)  # noqa: S310 - our own loopback address
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        return request


def _ask_patiently(request: Request) -> dict[str, Any]:
    for _ in range(_MAX_TRIES - 1):
        try:
            return _ask(request)
        except RefusedError as refusal:
            if refusal.retry_after_s is None:
                raise
            time.sleep(refusal.retry_after_s)
    return _ask(request)


def _ask(request: Request) -> dict[str, Any]:
    what = f"{request.get_method()} {request.full_url}"
    try:
        with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - as above
            content: dict[str, Any] = json.loads(answer.read() or b"{}")
            return content
    except HTTPError as refusal:
        with refusal:
            wait = refusal.headers.get("Retry-After")
            raise RefusedError(
                what, refusal.code, _error(refusal), float(wait) if wait else None
            ) from refusal
    except (URLError, OSError) as error:
        raise StartError(f"{what} was not answered: {error}") from error


def _error(refusal: HTTPError) -> dict[str, Any]:
    try:
        error: dict[str, Any] = json.loads(refusal.read())["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error
