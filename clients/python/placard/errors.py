"""
The errors of all calls:

    PlacardError
    ├── NetworkError                 no response
    │   └── RequestTimeoutError      none in time
    └── ApiError                     a response that is no success
        ├── InvalidResponseError     not one of Placard's: a proxy's page, say; a proxy's 429 is a RateLimitedError
        ├── AuthenticationError      401: missing_key, invalid_key
        ├── PermissionDeniedError    403: key_revoked, wrong_environment, insufficient_scope
        ├── NotFoundError            404: slot_not_found
        ├── ConflictError            409, 412, 428: invalid_state, already_exists, version_conflict
        ├── ExpiredError             410: token_expired, cursor_expired
        ├── RateLimitedError         429
        ├── ServerError              5xx
        └── InvalidRequestError      other 4xx: validation_failed, invalid_json, token_invalid

`code` is the stable name of what happened; codes are added over time.
"""

from typing import Any, cast

from placard.types import ErrorDetail


class PlacardError(Exception):
    """``code``: the stable name of what happened. ``message``: what is wrong, and what to do next."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class NetworkError(PlacardError):
    """No response came. ``was_sent`` False: the request never left, so nothing happened."""

    def __init__(self, message: str, *, code: str = "network", was_sent: bool = True) -> None:
        super().__init__(code, message)
        self.was_sent = was_sent


class RequestTimeoutError(NetworkError):
    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message, code="timeout", was_sent=was_sent)


class ApiError(PlacardError):
    """``retry_after_s``: how long the service asks its client to wait; None where it does not say."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        request_id: str | None = None,
        param: str | None = None,
        details: list[ErrorDetail] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.request_id = request_id
        self.param = param
        self.details = details or []
        self.retry_after_s = retry_after_s


class InvalidResponseError(ApiError):
    pass


class AuthenticationError(ApiError):
    pass


class PermissionDeniedError(ApiError):
    pass


class NotFoundError(ApiError):
    pass


class ConflictError(ApiError):
    pass


class ExpiredError(ApiError):
    pass


class RateLimitedError(ApiError):
    pass


class ServerError(ApiError):
    pass


class InvalidRequestError(ApiError):
    pass


_TOO_MANY_REQUESTS = 429
_BY_STATUS: dict[int, type[ApiError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: ExpiredError,
    412: ConflictError,
    428: ConflictError,
    _TOO_MANY_REQUESTS: RateLimitedError,
}
_SERVER_ERRORS = 500


def error_of(
    status: int, body: object, *, request_id: str | None, retry_after: str | None
) -> ApiError:
    """*body*: the parsed JSON of the response; None where it is none."""
    retry_after_s = float(retry_after) if retry_after and retry_after.isdecimal() else None
    found = cast("dict[str, Any]", body).get("error") if isinstance(body, dict) else None
    if not isinstance(found, dict) or not isinstance(cast("Any", found).get("code"), str):
        foreign = RateLimitedError if status == _TOO_MANY_REQUESTS else InvalidResponseError
        return foreign(
            "invalid_response",
            f"The response with status {status} is not from Placard. Check the address, and proxies on the way.",
            status=status,
            request_id=request_id,
            retry_after_s=retry_after_s,
        )
    error = cast("dict[str, Any]", found)
    kind = _BY_STATUS.get(status, ServerError if status >= _SERVER_ERRORS else InvalidRequestError)
    return kind(
        str(error["code"]),
        str(error.get("message", "")),
        status=status,
        request_id=error.get("request_id") or request_id,
        param=error.get("param"),
        details=error.get("details"),
        retry_after_s=retry_after_s,
    )
