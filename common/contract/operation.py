"""
One entry of the contract registry. An operation is declared once; the Sanic route, the validation, the error responses
and the OpenAPI document follow from it, so that they cannot drift apart.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel

from common.contract.deprecation import Deprecated, headers_for
from common.contract.permissions import Permission
from common.values.errors import ErrorCode

Method = Literal["GET", "POST", "PATCH", "DELETE"]


MAX_HEAD_BYTES = 16_384
"""
Maximum of a request line and its headers together: room for a consent string of 8 192 characters and everything else
that a browser sends.
"""
UNAUTHENTICATED_BODY_BYTES = 16_384
"""Maximum body size, decoded, of operations without a credential, and of the edge's unless they set another."""
USUAL_BODY_BYTES = 65_536
LARGE_BODY_BYTES = 1_048_576
"""For operations whose bodies contain long lists or documents."""


class Plane(StrEnum):
    CONTROL = "control"
    EDGE = "edge"


class Auth(StrEnum):
    """Type of credential. An operation without one is public."""

    PUBLISHABLE_KEY = "publishable_key"
    SECRET_KEY = "secret_key"
    INTEGRATION_KEY = "integration_key"
    ACCESS_TOKEN = "access_token"


@dataclass(frozen=True, slots=True)
class Answer:
    """One 2xx or 3xx response. ``model`` is None where the body is empty or not JSON."""

    status: int
    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    documents: tuple[str, ...] = ()
    """Further media types that the query may select. Such a body is text."""
    headers: dict[str, str] = field(default_factory=dict)
    """Header name to description."""
    example: Any = None


@dataclass(frozen=True, slots=True)
class Operation:
    """
    A method and path, the accepted credentials, the input and every possible response.

    ``path`` uses ``{name}`` for parameters; all of them are strings. ``needs`` names the permission that each kind of
    credential must have (an integration key: scope AND the creator's permission). ``auth`` is needed only where a
    credential needs no permission; by default it is the kinds in ``needs``. ``errors`` lists the codes particular to
    this operation; `all_errors` adds those that follow from auth, body and query.
    """

    id: str
    method: Method
    path: str
    tag: str
    summary: str
    plane: Plane = Plane.CONTROL
    description: str = ""
    auth: tuple[Auth, ...] = ()
    needs: dict[Auth, Permission] = field(default_factory=dict)
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    body_forms: type[BaseModel] | None = None
    """
    The forms of ``body`` for the description, discriminated by a field. ``body`` itself validates all of its fields
    together, so that every fault is listed.
    """
    path_params: dict[str, str] = field(default_factory=dict)
    """Path parameter name to description."""
    header_params: dict[str, str] = field(default_factory=dict)
    """Its own request headers, name to description; none is required."""
    answers: tuple[Answer, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    creates: bool = False
    """A creating POST: accepts ``Idempotency-Key``."""
    reads: bool = False
    """A POST that changes nothing, and writes no line in the audit log."""
    needs_version: bool = False
    """A PATCH of a versioned object: requires ``If-Match``."""
    accepts_version: bool = False
    """An action on a versioned object: respects ``If-Match`` where it is sent."""
    body_bytes: int | None = None
    """Maximum body size, decoded, where it differs from the default; `max_body_bytes` returns the effective one."""
    body_example: Any = None
    body_media_types: tuple[str, ...] = ("application/json",)
    deprecated: Deprecated | None = None
    deprecated_params: dict[str, Deprecated] = field(default_factory=dict)
    """Query parameter name to its announced removal."""
    takes_idempotency_key: bool = False
    """Accepts ``Idempotency-Key`` though it is no creating POST of the control plane, whose responses are stored."""
    is_rate_limited: bool = True
    """False: no call of it is rejected for its rate."""
    about: str = ""
    """The object type in the audit log, where it is not the path's first segment."""
    form: type[BaseModel] | None = None
    """The parts of ``multipart/form-data``, where that may be sent instead of ``body``."""
    form_example: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "auth", self.auth or tuple(self.needs))

    @property
    def announces(self) -> bool:
        """Whether responses may have `Deprecation` and `Sunset`."""
        return self.deprecated is not None or bool(self.deprecated_params)

    def announcement(self, named: Collection[str]) -> dict[str, str]:
        """Returns the headers that announce removals to a call with the query parameters *named*."""
        return headers_for(self.deprecated, self.deprecated_params, named)

    @property
    def described_body(self) -> type[BaseModel] | None:
        return self.body_forms or self.body

    @property
    def max_body_bytes(self) -> int:
        """Counted after decoding; more is 413. For a form with a file, the limit of everything else."""
        if self.body_bytes is not None:
            return self.body_bytes
        is_usual = self.plane is Plane.CONTROL and self.auth and self.body is not None
        return USUAL_BODY_BYTES if is_usual else UNAUTHENTICATED_BODY_BYTES

    @property
    def all_errors(self) -> tuple[ErrorCode, ...]:
        """Every code that this operation can return, in the order of the checks."""
        found = (
            ErrorCode.URI_TOO_LONG,
            ErrorCode.HEADERS_TOO_LARGE,
            *self._credential_errors(),
            *((ErrorCode.RATE_LIMITED,) if self.is_rate_limited else ()),
            *self._input_errors(),
            *self.errors,
            ErrorCode.INTERNAL,
            ErrorCode.UNAVAILABLE,
        )
        return tuple(dict.fromkeys(found))

    def _credential_errors(self) -> list[ErrorCode]:
        if not self.auth:
            return []
        found = [
            ErrorCode.MISSING_KEY,
            ErrorCode.INVALID_KEY,
            ErrorCode.WRONG_ENVIRONMENT,  # every operation reports what is wrong with an integration key
            ErrorCode.KEY_REVOKED,
            ErrorCode.TENANT_SUSPENDED,
        ]
        if Auth.INTEGRATION_KEY in self.needs:
            found += [ErrorCode.INSUFFICIENT_SCOPE, ErrorCode.PERMISSION_LOST]
        if Auth.ACCESS_TOKEN in self.needs:
            found.append(ErrorCode.PERMISSION_DENIED)
        if self.plane is Plane.CONTROL and Auth.INTEGRATION_KEY not in self.auth:
            found.append(ErrorCode.NOT_AVAILABLE_TO_INTEGRATION_KEYS)
        return found

    def _input_errors(self) -> list[ErrorCode]:
        found = []
        if self.path_params:
            found.append(ErrorCode.NOT_FOUND)
        if self.body is not None:
            found += [
                ErrorCode.BAD_REQUEST,  # `Content-Encoding` does not match the body
                ErrorCode.INVALID_JSON,
                ErrorCode.PAYLOAD_TOO_LARGE,
                ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            ]
        if self.body is not None or self.query is not None or self.plane is Plane.CONTROL:
            found.append(ErrorCode.VALIDATION_FAILED)
        if self.creates:
            found += [ErrorCode.IDEMPOTENCY_KEY_REUSED, ErrorCode.IDEMPOTENCY_IN_PROGRESS]
        if self.needs_version:
            found += [ErrorCode.VERSION_CONFLICT, ErrorCode.VERSION_REQUIRED]
        if self.accepts_version:
            found.append(ErrorCode.VERSION_CONFLICT)
        if self.query is not None and "cursor" in self.query.model_fields:
            found.append(ErrorCode.CURSOR_INVALID)
        return found

    @property
    def object_type(self) -> str:
        """The operation's object type in the audit log: ``campaign`` for ``/v1/campaigns/{id}/pause``."""
        if self.about:
            return self.about
        plural = self.path.split("/")[2].replace("-", "_")
        if plural.endswith("ies"):
            return plural.removesuffix("ies") + "y"
        return plural.removesuffix("s")

    @property
    def sanic_path(self) -> str:
        """The path in Sanic's notation; a parameter that shares its segment with a suffix becomes a pattern."""
        return "/".join(self._sanic_segment(segment) for segment in self.path.split("/"))

    def _sanic_segment(self, segment: str) -> str:
        for name in self.path_params:
            before, found, suffix = segment.partition("{" + name + "}")
            if found and not before and suffix:
                return f"<{name}:(?P<{name}>[^/]+){re.escape(suffix)}>"
            segment = segment.replace(found, f"<{name}:str>") if found else segment
        return segment


def created(
    description: str, model: type[BaseModel], example: Any, headers: dict[str, str] | None = None
) -> Answer:
    """The response of a creating POST, with the path of the new object."""
    headers = {**(headers or {}), "Location": "Path of the new object."}
    return Answer(201, description, model, headers=headers, example=example)
