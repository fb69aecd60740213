"""Answers of an operation: its successes, and every error code it can give, grouped by status."""

from typing import Any

from pydantic import BaseModel

from common.contract.operation import Answer, Operation
from common.errors import STATUS, ErrorCode

_MEANING: dict[ErrorCode, str] = {
    ErrorCode.MISSING_KEY: "No key was sent. Send it in `X-Service-Key` or as `Authorization: Bearer`.",
    ErrorCode.INVALID_KEY: "The key is malformed, unknown, or of the wrong kind for this call.",
    ErrorCode.KEY_REVOKED: "The key was rotated or revoked. Use its replacement.",
    ErrorCode.TENANT_SUSPENDED: "The account is suspended. Settle it before calling again.",
    ErrorCode.WRONG_ENVIRONMENT: "A test key where live is served, or the reverse.",
    ErrorCode.PROPERTY_UNVERIFIED: "Live traffic needs a verified property. Verify its domain first.",
    ErrorCode.RATE_LIMITED: "Too many calls. Wait as long as `Retry-After` says.",
    ErrorCode.INSUFFICIENT_SCOPE: "The key lacks the scope this call needs; the message names it.",
    ErrorCode.NOT_AVAILABLE_TO_INTEGRATION_KEYS: "Only signed-in users may call this.",
    ErrorCode.PERMISSION_LOST: "The key's creator no longer has the permission this call needs.",
    ErrorCode.PERMISSION_DENIED: "Your role lacks the permission this call needs; the message names it.",
    ErrorCode.INVALID_JSON: "The body cannot be parsed as JSON.",
    ErrorCode.VALIDATION_FAILED: "Fields are wrong; `details` lists all of them.",
    ErrorCode.BAD_REQUEST: "The HTTP request cannot be parsed without doubt.",
    ErrorCode.INVALID_GRANT: "E-mail and password, or the refresh token, were refused.",
    ErrorCode.TOKEN_INVALID: "Not one of our track tokens, or changed on the way.",
    ErrorCode.TOKEN_EXPIRED: "The track token is beyond its time.",
    ErrorCode.TOKEN_MISMATCH: "The track token belongs to another property than the key.",
    ErrorCode.SLOT_NOT_FOUND: "The key's property has no such slot.",
    ErrorCode.NOT_FOUND: "No such object, or none this credential may see.",
    ErrorCode.METHOD_NOT_ALLOWED: "This path takes other methods; `Allow` names them.",
    ErrorCode.ALREADY_EXISTS: "Something with this unique value exists already.",
    ErrorCode.INVALID_STATE: "The object's state does not allow this; `details` names what it allows.",
    ErrorCode.VERSION_CONFLICT: "Someone changed the object since you read it. Read it again.",
    ErrorCode.VERSION_REQUIRED: "Send the version you read in `If-Match`.",
    ErrorCode.IDEMPOTENCY_KEY_REUSED: "This Idempotency-Key came with another body before.",
    ErrorCode.IDEMPOTENCY_IN_PROGRESS: "The first call with this Idempotency-Key still runs.",
    ErrorCode.CURSOR_INVALID: "The cursor is not ours, or was made for other filters.",
    ErrorCode.CURSOR_EXPIRED: "The cursor points behind what is kept. Start from `earliest`.",
    ErrorCode.PAYLOAD_TOO_LARGE: "The body is larger than this call takes.",
    ErrorCode.RANGE_NOT_SATISFIABLE: "The range lies behind the end of the file.",
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: "Send the body with a content type this call takes.",
    ErrorCode.REQUEST_TIMEOUT: "The request did not arrive in time.",
    ErrorCode.INTERNAL: "A fault of ours. Quote the request id.",
    ErrorCode.UNAVAILABLE: "A part we need is away. Try again after `Retry-After`.",
}

_REQUEST_ID_HEADER = {
    "description": "Quote it when asking for help.",
    "schema": {"type": "string"},
}
_RETRY_AFTER_HEADER = {
    "description": "Seconds to wait, at least 1.",
    "schema": {"type": "integer", "minimum": 1},
}
_WAITING = frozenset({429, 503})
_ENVELOPE = {"$ref": "#/components/schemas/ErrorEnvelope"}
_ANY_OTHER = {
    "description": "Any other answer is an error in the envelope.",
    "content": {"application/json": {"schema": _ENVELOPE}},
}


def responses_of(
    operation: Operation, refs: dict[type[BaseModel], dict[str, Any]]
) -> dict[str, Any]:
    found = {str(answer.status): _success(answer, refs) for answer in operation.answers}
    by_status: dict[int, list[ErrorCode]] = {}
    for code in operation.all_errors:
        by_status.setdefault(STATUS[code], []).append(code)
    for status, codes in sorted(by_status.items()):
        found[str(status)] = _failure(status, codes)
    answers = dict(sorted(found.items()))
    if not any(status.startswith("2") for status in answers):
        answers["default"] = _ANY_OTHER  # a redirect alone would leave a client guessing
    return answers


def _success(answer: Answer, refs: dict[type[BaseModel], dict[str, Any]]) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID_HEADER}
    for name, description in answer.headers.items():
        headers[name] = {"description": description, "schema": {"type": "string"}}
    item: dict[str, Any] = {"description": answer.description, "headers": headers}
    if answer.model is not None:
        media: dict[str, Any] = {"schema": refs[answer.model]}
        if answer.example is not None:
            media["example"] = answer.example
        item["content"] = {answer.media_type: media}
    elif answer.media_type != "application/json":
        item["content"] = {answer.media_type: {"schema": {"type": "string"}}}
    return item


def _failure(status: int, codes: list[ErrorCode]) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID_HEADER}
    if status in _WAITING or ErrorCode.IDEMPOTENCY_IN_PROGRESS in codes:
        headers["Retry-After"] = _RETRY_AFTER_HEADER
    examples = {
        code.value: {"value": {"error": {"code": code.value, "message": _MEANING[code]}}}
        for code in codes
    }
    return {
        "description": " ".join(f"`{code}`: {_MEANING[code]}" for code in codes),
        "headers": headers,
        "content": {
            "application/json": {
                "schema": _ENVELOPE,
                "examples": examples,
            }
        },
    }
