"""Responses of an operation: its successes, and every error code it can return, grouped by status."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from common.contract.names import answer_name
from common.contract.operation import MAX_HEAD_BYTES, Answer, Operation, Plane
from common.values.errors import STATUS, ErrorCode

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-Id": {
        "description": "Request id; include it when you ask for support.",
        "schema": {"type": "string"},
        "example": "0b1c0e5d00000000000003e9",
    },
    "RateLimit-Policy": {
        "description": (
            "Rate limit of the caller: `q` requests per `w` seconds on average. Present in every response to an "
            "accepted credential; a refused credential is not counted."
        ),
        "schema": {"type": "string"},
        "example": '"default";q=10;w=1',
    },
    "RateLimit": {
        "description": "Remaining requests: `r` now, and the next one after `t` seconds.",
        "schema": {"type": "string"},
        "example": '"default";r=29;t=0',
    },
    "Retry-After": {
        "description": "Seconds to wait before a retry, at least 1.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 1,
    },
    "X-Snapshot-Version": {
        "description": (
            "Snapshot version that contains this change; absent if edges do not use it. `GET "
            "/v1/propagation/{version}` reports when every edge has it."
        ),
        "schema": {"type": "integer", "minimum": 1},
        "example": 4812,
    },
    "Idempotent-Replayed": {
        "description": "`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
"""Headers of many responses: components of the document."""

_ANNOUNCING: dict[str, dict[str, Any]] = {
    "Deprecation": {
        "description": "When the operation, or one of its parameters, became deprecated (RFC 9745).",
        "schema": {"type": "string"},
        "example": "@1767225600",
    },
    "Sunset": {
        "description": "When it will be removed (RFC 8594).",
        "schema": {"type": "string"},
        "example": "Fri, 01 Jan 2027 00:00:00 GMT",
    },
}


def headers_of(operations: Iterable[Operation]) -> dict[str, Any]:
    """Returns the headers that responses of *operations* name: components of the document."""
    announced = any(operation.announces for operation in operations)
    return HEADERS | _ANNOUNCING if announced else HEADERS


_MEANING: dict[ErrorCode, str] = {
    ErrorCode.MISSING_KEY: "No key was sent. Send it in `X-Service-Key` or as `Authorization: Bearer`.",
    ErrorCode.INVALID_KEY: "The key is malformed, unknown, or of the wrong kind for this request.",
    ErrorCode.KEY_REVOKED: "The key was rotated or revoked. Use its replacement.",
    ErrorCode.TENANT_SUSPENDED: "The account is suspended. Pay what is due, or contact the operator.",
    ErrorCode.WRONG_ENVIRONMENT: "A test key was sent to the live edge, or a live key to the test edge.",
    ErrorCode.PROPERTY_UNVERIFIED: "Live traffic needs a verified property. Verify its domain first.",
    ErrorCode.RATE_LIMITED: "Too many requests. Wait for the seconds in `Retry-After`.",
    ErrorCode.INSUFFICIENT_SCOPE: "The key lacks the scope that this request needs; the message names it.",
    ErrorCode.NOT_AVAILABLE_TO_INTEGRATION_KEYS: "Only signed-in users can use this operation.",
    ErrorCode.PERMISSION_LOST: "The key's creator no longer has the permission that this request needs.",
    ErrorCode.PERMISSION_DENIED: "Your role lacks the permission that this request needs; the message names it.",
    ErrorCode.INVALID_JSON: "The body cannot be parsed as JSON.",
    ErrorCode.VALIDATION_FAILED: "Some fields are invalid; `details` lists all of them.",
    ErrorCode.BAD_REQUEST: "The HTTP request is malformed or ambiguous.",
    ErrorCode.INVALID_GRANT: "The email address and password, or the refresh token, are wrong.",
    ErrorCode.EMAIL_UNVERIFIED: (
        "The email address is not verified. Follow the link in the email, or reset the password."
    ),
    ErrorCode.TOKEN_INVALID: "The track token is malformed, or its signature is wrong.",
    ErrorCode.TOKEN_EXPIRED: "The track token has expired.",
    ErrorCode.TOKEN_MISMATCH: "The track token belongs to another property than the key.",
    ErrorCode.SLOT_NOT_FOUND: "The key's property has no such slot.",
    ErrorCode.NOT_FOUND: "The object does not exist, or this credential cannot see it.",
    ErrorCode.METHOD_NOT_ALLOWED: "This path does not support the method; `Allow` lists those that it does.",
    ErrorCode.ALREADY_EXISTS: "An object with this unique value already exists.",
    ErrorCode.INVALID_STATE: "The object's status does not allow this; `details` lists what it allows.",
    ErrorCode.INSUFFICIENT_BALANCE: "The amount exceeds the earnings that can be paid out.",
    ErrorCode.LIMIT_REACHED: "The maximum number of these objects is reached; the message names it.",
    ErrorCode.VERSION_CONFLICT: "The object was changed since you read it. Read it again.",
    ErrorCode.VERSION_REQUIRED: "Send the version you read in `If-Match`.",
    ErrorCode.IDEMPOTENCY_KEY_REUSED: "This Idempotency-Key was used with another body before.",
    ErrorCode.IDEMPOTENCY_IN_PROGRESS: "The first request with this Idempotency-Key is still running.",
    ErrorCode.CURSOR_INVALID: "The cursor is malformed, or belongs to other filters.",
    ErrorCode.DECISION_EXPIRED: "Decisions can be explained for 7 days. Choose a later one.",
    ErrorCode.CURSOR_EXPIRED: "The cursor is older than the retention period. Start from `earliest`.",
    ErrorCode.PAYLOAD_TOO_LARGE: "The body is too large; `x-max-body-bytes` is the maximum.",
    ErrorCode.URI_TOO_LONG: (
        f"The URL is too long: the maximum for request line and headers together is {MAX_HEAD_BYTES:,} bytes."
    ),
    ErrorCode.HEADERS_TOO_LARGE: (
        f"The headers are too large: the maximum with the request line is {MAX_HEAD_BYTES:,} bytes."
    ),
    ErrorCode.RANGE_NOT_SATISFIABLE: "The range starts after the end of the file.",
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: "The content type or encoding is not supported here.",
    ErrorCode.REQUEST_TIMEOUT: "The request did not arrive in time.",
    ErrorCode.INTERNAL: "Internal error. Include the request id when you report it.",
    ErrorCode.UNAVAILABLE: "A backend is unavailable. Try again after `Retry-After`.",
}

_ORDER = tuple(ErrorCode)
_WAITING = frozenset({429, 503})
_EDGE_OBJECTS = frozenset({"Accounts", "Properties", "Slots", "Keys", "Campaigns", "Ads"})
_UNCOUNTED = frozenset({"getDescription"})
_TWO_FAULTS = {
    "message": "2 fields are invalid. See `details` for each of them.",
    "details": [
        {"param": "name", "code": "required", "message": "This field is required."},
        {"param": "nme", "code": "unknown", "message": "There is no such field here. Remove it."},
    ],
}
_ENVELOPE = {"$ref": "#/components/schemas/ErrorEnvelope"}
_ANY_OTHER = {
    "description": "Any other response is an error in the envelope.",
    "content": {"application/json": {"schema": _ENVELOPE}},
}


def error_examples(operations: Iterable[Operation]) -> dict[str, Any]:
    """Returns an example of every error of *operations*: components of the document."""
    codes = {code for operation in operations for code in operation.all_errors}
    return {
        code.value: {"summary": _MEANING[code], "value": _example(code)}
        for code in ErrorCode
        if code in codes
    }


def responses_of(
    operation: Operation, refs: dict[type[BaseModel], dict[str, Any]]
) -> dict[str, Any]:
    found = {str(answer.status): _success(operation, answer, refs) for answer in operation.answers}
    for status, codes in _by_status(operation):
        name = answer_name(status, codes)
        found[str(status)] = {"$ref": f"#/components/responses/{name}"}
    answers = dict(sorted(found.items()))
    if not any(status.startswith("2") for status in answers):
        answers["default"] = _ANY_OTHER  # a redirect alone would leave a client guessing
    return answers


def error_responses(operations: Iterable[Operation]) -> dict[str, Any]:
    """
    Returns every error response of *operations* once: components of the document, by name.

    They list only headers of their own, because generators create types for each. The document's description lists the
    headers of every response.
    """
    found: dict[str, Any] = {}
    for operation in operations:
        for status, codes in _by_status(operation):
            failure = _failure(status, codes)
            if found.setdefault(answer_name(status, codes), failure) != failure:
                raise ValueError(f"Two answers would be called {answer_name(status, codes)}.")
    return dict(sorted(found.items()))


def _by_status(operation: Operation) -> list[tuple[int, list[ErrorCode]]]:
    found: dict[int, list[ErrorCode]] = {}
    for code in operation.all_errors:
        found.setdefault(STATUS[code], []).append(code)
    return [(status, sorted(found[status], key=_ORDER.index)) for status in sorted(found)]


def _success(
    operation: Operation, answer: Answer, refs: dict[type[BaseModel], dict[str, Any]]
) -> dict[str, Any]:
    more = [
        *(["Idempotent-Replayed"] if operation.creates else []),
        *(["X-Snapshot-Version"] if _reaches_edges(operation) else []),
    ]
    if operation.announces:
        more += ["Deprecation", "Sunset"]
    headers = _headers(operation, *more)
    for name, description in answer.headers.items():
        headers[name] = {"description": description, "schema": {"type": "string"}}
    item: dict[str, Any] = {"description": answer.description, "headers": headers}
    if answer.model is not None:
        media: dict[str, Any] = {"schema": refs[answer.model]}
        if answer.example is not None:
            media["example"] = answer.example
        documents = {name: {"schema": {"type": "string"}} for name in answer.documents}
        item["content"] = {answer.media_type: media} | documents
    elif answer.media_type != "application/json":
        item["content"] = {answer.media_type: {"schema": {"type": "string"}}}
    return item


def _failure(status: int, codes: list[ErrorCode]) -> dict[str, Any]:
    waits = status in _WAITING or ErrorCode.IDEMPOTENCY_IN_PROGRESS in codes
    headers = {"headers": _references("Retry-After")} if waits else {}
    return {
        "description": " ".join(f"`{code}`: {_MEANING[code]}" for code in codes),
        **headers,
        "content": {
            "application/json": {
                "schema": _ENVELOPE,
                "examples": {
                    code.value: {"$ref": f"#/components/examples/{code.value}"} for code in codes
                },
            }
        },
    }


def _headers(operation: Operation, *more: str) -> dict[str, Any]:
    """Returns the headers of every success on the plane, and *more*."""
    names = ["X-Request-Id", *more]
    if _has_rate_headers(operation):
        names[1:1] = ["RateLimit-Policy", "RateLimit"]
    return _references(*names)


def _references(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _reaches_edges(operation: Operation) -> bool:
    """Whether it may change data of the edges."""
    changes = operation.method != "GET" and not operation.reads
    return operation.plane is Plane.CONTROL and changes and operation.tag in _EDGE_OBJECTS


def _has_rate_headers(operation: Operation) -> bool:
    return operation.plane is Plane.CONTROL and operation.id not in _UNCOUNTED


def _example(code: ErrorCode) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code.value, "message": _MEANING[code]}
    if code is ErrorCode.VALIDATION_FAILED:
        error |= _TWO_FAULTS
    return {"error": error | {"request_id": HEADERS["X-Request-Id"]["example"]}}
