"""Sanic's router, mended: a 405 always names the methods, and a path of thousands of slashes is only not found."""

from typing import Any, get_args

from sanic.exceptions import MethodNotAllowed, NotFound
from sanic.models.handler_types import RouteHandler
from sanic.router import Router
from sanic_routing import Route

from common.contract.operation import Method

READING = ("GET", "HEAD")
"""The methods of whatever can be read: HEAD is answered as GET, without the body (RFC 9110, 9.3.2)."""

_METHODS = (*get_args(Method), "HEAD", "OPTIONS", "PUT")
_MANY_SLASHES = "//"


class StrictRouter(Router):
    """
    Where one path template has a route a method, Sanic answers 405 with an empty ``Allow``; and it takes trailing
    slashes off by recursion, one a call, which any caller could drive into the limit of the stack.
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
