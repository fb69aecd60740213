"""
One entry of the contract registry. An operation is declared once; from it come the Sanic route, the
validation, the error answers and the OpenAPI document, so that none of them can drift from the others.
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


STRANGERS_BODY_BYTES = 16_384
"""What a body may have, decoded: of an operation without a credential, and of the edge's but where they say more."""
USUAL_BODY_BYTES = 65_536
LARGE_BODY_BYTES = 1_048_576
"""Of operations whose bodies hold lists that are long, or documents."""


class Plane(StrEnum):
    CONTROL = "control"
    EDGE = "edge"


class Auth(StrEnum):
    """What a caller may show at the door. An operation with none is public."""

    PUBLISHABLE_KEY = "publishable_key"
    SECRET_KEY = "secret_key"
    INTEGRATION_KEY = "integration_key"
    ACCESS_TOKEN = "access_token"


@dataclass(frozen=True, slots=True)
class Answer:
    """One 2xx or 3xx answer. ``model`` is None where the body is empty or not JSON."""

    status: int
    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    """Header name to description."""
    example: Any = None


@dataclass(frozen=True, slots=True)
class Operation:
    """
    A method and path, who may call it, what it takes and every answer it gives.

    ``path`` uses ``{name}`` for parameters; all of them are strings. ``needs`` names the permission each
    kind of credential must carry (an integration key: scope AND the creator's permission).
    ``errors`` lists the codes particular to this operation; those that follow from auth, body and query
    are added by `all_errors`.
    """

    id: str
    method: Method
    path: str
    plane: Plane
    tag: str
    summary: str
    description: str = ""
    auth: tuple[Auth, ...] = ()
    needs: dict[Auth, Permission] = field(default_factory=dict)
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    body_forms: type[BaseModel] | None = None
    """
    What the description shows of ``body``: its forms, told apart by a field. The body itself judges all of its fields
    together, so that every fault is listed.
    """
    path_params: dict[str, str] = field(default_factory=dict)
    """Path parameter name to description."""
    header_params: dict[str, str] = field(default_factory=dict)
    """Headers of its own that it takes, name to description; none is required."""
    answers: tuple[Answer, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    creates: bool = False
    """A creating POST: takes ``Idempotency-Key``."""
    reads: bool = False
    """A POST that changes nothing, and leaves no line in the audit log."""
    needs_version: bool = False
    """A PATCH of a versioned object: takes ``If-Match``."""
    may_say_version: bool = False
    """A verb of a versioned object: heeds ``If-Match`` where it comes."""
    body_bytes: int | None = None
    """What a body may have, decoded, where that is not as usual; `most_body_bytes` says what it is."""
    body_example: Any = None
    body_media_types: tuple[str, ...] = ("application/json",)
    deprecated: Deprecated | None = None
    deprecated_params: dict[str, Deprecated] = field(default_factory=dict)
    """Query parameter name to what is announced of it."""
    takes_idempotency_key: bool = False
    """Takes ``Idempotency-Key`` though it is no creating POST of the control plane, which store their answers."""
    is_rate_limited: bool = True
    """False: no call of it is refused for its rate."""
    about: str = ""
    """What the audit log names as the kind of its object, where the path's first segment does not say it."""
    form: type[BaseModel] | None = None
    """The parts of ``multipart/form-data``, where that may be sent instead of ``body``."""
    form_example: Any = None

    @property
    def announces(self) -> bool:
        """Whether calls may be answered with `Deprecation` and `Sunset`."""
        return self.deprecated is not None or bool(self.deprecated_params)

    def announcement(self, named: Collection[str]) -> dict[str, str]:
        """The headers that tell a call with the query parameters *named* what goes away."""
        return headers_for(self.deprecated, self.deprecated_params, named)

    @property
    def described_body(self) -> type[BaseModel] | None:
        return self.body_forms or self.body

    @property
    def max_body_bytes(self) -> int:
        """Counted after decoding; more is 413. Of a form with a file, what it may have besides."""
        if self.body_bytes is not None:
            return self.body_bytes
        is_usual = self.plane is Plane.CONTROL and self.auth and self.body is not None
        return USUAL_BODY_BYTES if is_usual else STRANGERS_BODY_BYTES

    @property
    def all_errors(self) -> tuple[ErrorCode, ...]:
        """Every code this operation can answer, in the order the checks run."""
        found = (
            ErrorCode.URI_TOO_LONG,
            ErrorCode.HEADERS_TOO_LARGE,
            *self._door_errors(),
            *((ErrorCode.RATE_LIMITED,) if self.is_rate_limited else ()),
            *self._input_errors(),
            *self.errors,
            ErrorCode.INTERNAL,
            ErrorCode.UNAVAILABLE,
        )
        return tuple(dict.fromkeys(found))

    def _door_errors(self) -> list[ErrorCode]:
        if not self.auth:
            return []
        found = [
            ErrorCode.MISSING_KEY,
            ErrorCode.INVALID_KEY,
            ErrorCode.WRONG_ENVIRONMENT,  # an integration key hears what is wrong with it at every door
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
                ErrorCode.BAD_REQUEST,  # what `Content-Encoding` says is not so
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
        if self.may_say_version:
            found.append(ErrorCode.VERSION_CONFLICT)
        return found

    @property
    def object_type(self) -> str:
        """What the operation is about, as the audit log names it: ``campaign`` of ``/v1/campaigns/{id}/pause``."""
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
