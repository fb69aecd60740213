"""The only place where responses are created, so that each has its content type and its envelope."""

from typing import Any

import orjson
from pydantic import BaseModel
from sanic.response import HTTPResponse

from common.values.errors import ApiError

JSON = "application/json"


def json_response(
    body: Any, *, status: int = 200, headers: dict[str, str] | None = None
) -> HTTPResponse:
    """*body*: a pydantic model (its JSON form) or anything that orjson encodes."""
    raw = body.model_dump_json().encode() if isinstance(body, BaseModel) else orjson.dumps(body)
    return HTTPResponse(raw, status=status, headers=headers, content_type=JSON)


def no_content(headers: dict[str, str] | None = None) -> HTTPResponse:
    return HTTPResponse(None, status=204, headers=headers)


def error_response(error: ApiError, *, request_id: str | None = None) -> HTTPResponse:
    """
    Returns the envelope of *error*, with ``Retry-After`` where it has one. No cache may store it: an object that is
    absent now may exist in a minute.
    """
    content: dict[str, Any] = {"code": error.code.value, "message": error.message}
    if error.param is not None:
        content["param"] = error.param
    if error.details:
        content["details"] = [
            {"param": d.param, "code": d.code, "message": d.message} for d in error.details
        ]
    if request_id is not None:
        content["request_id"] = request_id
    headers = {"Cache-Control": "no-store"} | error.headers
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(max(1, error.retry_after_s))
    return json_response({"error": content}, status=error.status, headers=headers)
