"""
Sanic's router with two fixes: a 405 always lists the methods, and a path of thousands of
slashes is just not found.
"""

from typing import Any, get_args

from sanic.exceptions import MethodNotAllowed, NotFound
from sanic.models.handler_types import RouteHandler
from sanic.router import Router
from sanic_routing import Route

from common.contract.operation import Method

READING = ("GET", "HEAD")
"""Methods of every readable path: the response to HEAD is that of GET, without the body (RFC 9110, 9.3.2)."""

_METHODS = (*get_args(Method), "HEAD", "OPTIONS", "PUT")
_MANY_SLASHES = "//"


class StrictRouter(Router):
    """
    For a path template with one route for each method, Sanic's 405 has an empty ``Allow``. It also removes trailing
    slashes by recursion, one in each call, so that any client could exhaust the stack.
    """

    def _get(
        self, path: str, method: str, host: str | None
    ) -> tuple[Route, RouteHandler, dict[str, Any]]:
        if path.endswith(_MANY_SLASHES):
            raise NotFound("too many slashes")
        try:
            return super()._get(path, method, host)
        except MethodNotAllowed:
            allowed = [other for other in _METHODS if self._takes(path, other, host)]
            raise MethodNotAllowed(
                "not allowed", method=method, allowed_methods=tuple(allowed)
            ) from None

    def _takes(self, path: str, method: str, host: str | None) -> bool:
        try:
            super()._get(path, method, host)
        except (MethodNotAllowed, NotFound):
            return False
        return True
