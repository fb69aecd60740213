"""
The error tree of both planes. Every error response is one of these.

ApiError(status, code)
├── Refused            the request cannot be honoured: built from an ErrorCode
└── Unavailable        503, a required part is unavailable; carries retry_after_s

Expected results (no fill, a replay, an invalid event) are values, not errors.
"""

from dataclasses import dataclass
from enum import StrEnum

from common.values.messages import Message

UNFORESEEN = (ArithmeticError, LookupError, TypeError, ValueError)
"""Exceptions by which code shows that it did not foresee its input: one object or record, not the machine."""


class ErrorCode(StrEnum):
    """All values of ``error.code``; `STATUS` maps each to its HTTP status."""

    MISSING_KEY = "missing_key"
    INVALID_KEY = "invalid_key"
    KEY_REVOKED = "key_revoked"
    TENANT_SUSPENDED = "tenant_suspended"
    WRONG_ENVIRONMENT = "wrong_environment"
    PROPERTY_UNVERIFIED = "property_unverified"
    RATE_LIMITED = "rate_limited"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    NOT_AVAILABLE_TO_INTEGRATION_KEYS = "not_available_to_integration_keys"
    PERMISSION_LOST = "permission_lost"
    PERMISSION_DENIED = "permission_denied"
    INVALID_JSON = "invalid_json"
    VALIDATION_FAILED = "validation_failed"
    BAD_REQUEST = "bad_request"
    INVALID_GRANT = "invalid_grant"
    EMAIL_UNVERIFIED = "email_unverified"
    TOKEN_INVALID = "token_invalid"
    TOKEN_EXPIRED = "token_expired"
    TOKEN_MISMATCH = "token_mismatch"
    SLOT_NOT_FOUND = "slot_not_found"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    ALREADY_EXISTS = "already_exists"
    INVALID_STATE = "invalid_state"
    INSUFFICIENT_BALANCE = "insufficient_balance"
    LIMIT_REACHED = "limit_reached"
    VERSION_CONFLICT = "version_conflict"
    VERSION_REQUIRED = "version_required"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    IDEMPOTENCY_IN_PROGRESS = "idempotency_in_progress"
    CURSOR_INVALID = "cursor_invalid"
    CURSOR_EXPIRED = "cursor_expired"
    DECISION_EXPIRED = "decision_expired"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    URI_TOO_LONG = "uri_too_long"
    HEADERS_TOO_LARGE = "headers_too_large"
    RANGE_NOT_SATISFIABLE = "range_not_satisfiable"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    REQUEST_TIMEOUT = "request_timeout"
    INTERNAL = "internal"
    UNAVAILABLE = "unavailable"


STATUS: dict[ErrorCode, int] = {
    ErrorCode.MISSING_KEY: 401,
    ErrorCode.INVALID_KEY: 401,
    ErrorCode.KEY_REVOKED: 403,
    ErrorCode.TENANT_SUSPENDED: 403,
    ErrorCode.WRONG_ENVIRONMENT: 403,
    ErrorCode.PROPERTY_UNVERIFIED: 403,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.INSUFFICIENT_SCOPE: 403,
    ErrorCode.NOT_AVAILABLE_TO_INTEGRATION_KEYS: 403,
    ErrorCode.PERMISSION_LOST: 403,
    ErrorCode.PERMISSION_DENIED: 403,
    ErrorCode.INVALID_JSON: 400,
    ErrorCode.VALIDATION_FAILED: 422,
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.INVALID_GRANT: 400,
    ErrorCode.EMAIL_UNVERIFIED: 403,
    ErrorCode.TOKEN_INVALID: 400,
    ErrorCode.TOKEN_EXPIRED: 410,
    ErrorCode.TOKEN_MISMATCH: 403,
    ErrorCode.SLOT_NOT_FOUND: 404,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.ALREADY_EXISTS: 409,
    ErrorCode.INVALID_STATE: 409,
    ErrorCode.INSUFFICIENT_BALANCE: 409,
    ErrorCode.LIMIT_REACHED: 409,
    ErrorCode.VERSION_CONFLICT: 412,
    ErrorCode.VERSION_REQUIRED: 428,
    ErrorCode.IDEMPOTENCY_KEY_REUSED: 422,
    ErrorCode.IDEMPOTENCY_IN_PROGRESS: 409,
    ErrorCode.CURSOR_INVALID: 400,
    ErrorCode.CURSOR_EXPIRED: 410,
    ErrorCode.DECISION_EXPIRED: 410,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.URI_TOO_LONG: 414,
    ErrorCode.HEADERS_TOO_LARGE: 431,
    ErrorCode.RANGE_NOT_SATISFIABLE: 416,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.REQUEST_TIMEOUT: 408,
    ErrorCode.INTERNAL: 500,
    ErrorCode.UNAVAILABLE: 503,
}


MAX_DETAILS = 100
"""Details in one response. More are of no use, and would make a response many times the size of its request."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One fault in one field; ``param`` is a dotted path (``budget.total_cents``)."""

    param: str
    code: str
    message: Message


class ApiError(Exception):
    """An error in the envelope: ``{"error": {"code", "message", "param"?, "details"?}}``."""

    def __init__(
        self,
        code: ErrorCode,
        message: Message,
        *,
        param: str | None = None,
        details: tuple[Detail, ...] = (),
        retry_after_s: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = STATUS[code]
        self.message = message
        self.param = param
        self.details = details[:MAX_DETAILS]
        self.retry_after_s = retry_after_s
        self.headers = headers or {}


class Refused(ApiError):
    """The request cannot be honoured as it was sent."""


class Unavailable(ApiError):
    """A required part is unavailable; the same request may succeed later."""

    def __init__(self, message: Message, *, retry_after_s: int = 1) -> None:
        super().__init__(ErrorCode.UNAVAILABLE, message, retry_after_s=retry_after_s)


def not_found() -> Refused:
    """The one 404 of the management API: it is the same for an absent id and for an id of another account."""
    return Refused(
        ErrorCode.NOT_FOUND,
        Message("This object does not exist, or this credential may not see it. Check the id."),
    )


def invalid(param: str, code: str, message: Message) -> Refused:
    """A 422 about one field."""
    detail = Detail(param, code, message)
    return Refused(ErrorCode.VALIDATION_FAILED, message, param=param, details=(detail,))
