"""The management interface, as the demo needs it: JSON over HTTP by the standard library."""

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from deploy.standalone.trouble import TroubleError

_TIMEOUT_S = 20.0


class RefusedError(TroubleError):
    """The service answered with its error envelope."""

    def __init__(self, what: str, status: int, error: dict[str, Any]) -> None:
        self.status = status
        self.code = str(error.get("code", ""))
        super().__init__(f"{what} answered {status} {json.dumps(error)}")


class DemoApi:
    """Calls one service, as nobody until `token` is set."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self.token = ""

    def post(self, path: str, body: dict[str, Any] | None = None, **query: str) -> dict[str, Any]:
        """The answer's object. Raise `RefusedError`, or `TroubleError` if nobody answers."""
        return self._call("POST", path, body, query)

    def get(self, path: str, **query: str) -> dict[str, Any]:
        return self._call("GET", path, None, query)

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None, query: dict[str, str]
    ) -> dict[str, Any]:
        url = self._base_url + path + ("?" + urlencode(query) if query else "")
        request = Request(url, method=method)  # noqa: S310 - our own loopback address
        if body is not None:
            request.data = json.dumps(body).encode("utf-8")
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - as above
                content: dict[str, Any] = json.loads(answer.read() or b"{}")
                return content
        except HTTPError as refusal:
            with refusal:
                raise RefusedError(f"{method} {url}", refusal.code, _error(refusal)) from refusal
        except (URLError, OSError) as error:
            raise TroubleError(f"{method} {url} was not answered: {error}") from error


def _error(refusal: HTTPError) -> dict[str, Any]:
    try:
        error: dict[str, Any] = json.loads(refusal.read())["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error
