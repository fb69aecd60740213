"""
Interface between dispatch and a resource's endpoints: a handler's input and output.

A handler neither parses nor commits. Query and body arrive validated, and the transaction is open. Dispatch commits it
after it wrote the snapshot changes to the outbox. A handler does no outside I/O: whatever needs a resolver, a bucket or
an upload is prepared before the transaction.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from sanic import Request
from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.operation import Operation
from common.values.errors import Refused
from control.api.context import ControlContext
from control.foundation.principal import Principal
from control.foundation.rate_limit import RateStatus
from control.outbox.changes import Changes


@dataclass(slots=True)
class Call:
    """One authorised, validated call inside its transaction."""

    operation: Operation
    control: ControlContext
    session: AsyncSession
    now: datetime
    request_id: str
    client_ip: str
    """The client's address, as trusted proxies reported it; a client cannot forge it."""
    path: dict[str, str]
    query: Any
    """An instance of ``operation.query``, or of `NoQuery`."""
    parsed_body: Any
    """The value of `body`, or the `Refused` that it raises."""
    parsed_version: int | Refused | None
    """The value of `if_match`, or the `Refused` that it raises."""
    changes: Changes
    """Snapshot objects that this transaction changed; see `control.outbox.changes`."""
    caller: Principal | None
    rate: RateStatus
    """The caller's rate limit after this call was counted."""
    prepared: Any = None
    """The value of the endpoint's `Prepare`, or None."""
    object_id: str | None = None
    """
    Object id for the audit log.

    A handler sets it where it is neither ``{id}`` of the path nor ``id`` of the response.
    """
    detail: dict[str, Any] = field(default_factory=dict)
    """Details for the audit log besides the fields sent and the changed states; never a secret's value."""

    @property
    def body(self) -> Any:
        """
        An instance of ``operation.body``, or None. Raises `Refused` where the body is invalid.

        Look up the object before reading this: an absent object is 404, whatever the body holds.
        """
        if isinstance(self.parsed_body, Refused):
            raise self.parsed_body
        return self.parsed_body

    @property
    def if_match(self) -> int | None:
        """
        The version that the caller read, for an operation that ``needs_version`` or ``accepts_version``. None where an
        optional version was not sent. Raises `Refused` (412, 422, 428).
        """
        if isinstance(self.parsed_version, Refused):
            raise self.parsed_version
        return self.parsed_version

    @property
    def principal(self) -> Principal:
        """The caller of an operation that requires authentication."""
        if self.caller is None:
            raise RuntimeError(f"{self.operation.id} is public and has no principal")
        return self.caller


@dataclass(frozen=True, slots=True)
class Reply:
    """
    ``body``: a model, or for long lists its JSON form.
    ``secret``: the body holds a secret, so a stored copy of it (Idempotency-Key) is encrypted.
    """

    body: BaseModel | dict[str, Any] | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    secret: bool = False


@dataclass(frozen=True, slots=True)
class PreTransactionCall:
    """An admitted call before its transaction. It may open short transactions of its own, and do outside I/O."""

    operation: Operation
    control: ControlContext
    request: Request
    """For streamed bodies; everything else is parsed already."""
    now: datetime
    client_ip: str
    """As `Call.client_ip`."""
    path: dict[str, str]
    query: Any
    parsed_body: Any
    parsed_version: int | Refused | None
    caller: Principal | None

    @property
    def body(self) -> Any:
        """As `Call.body`."""
        if isinstance(self.parsed_body, Refused):
            raise self.parsed_body
        return self.parsed_body

    @property
    def if_match(self) -> int | None:
        """As `Call.if_match`."""
        if isinstance(self.parsed_version, Refused):
            raise self.parsed_version
        return self.parsed_version

    @property
    def principal(self) -> Principal:
        """As `Call.principal`."""
        if self.caller is None:
            raise RuntimeError(f"{self.operation.id} is public and has no principal")
        return self.caller


@dataclass(frozen=True, slots=True)
class PreparedInput:
    """
    ``value`` becomes `Call.prepared`. ``fingerprint`` replaces the body in an Idempotency-Key's claim where the body
    was streamed: equal bodies have equal fingerprints.
    """

    value: Any
    fingerprint: bytes | None = None


Handler = Callable[[Call], Awaitable[Reply]]
Prepare = Callable[[PreTransactionCall], AbstractAsyncContextManager[PreparedInput]]
"""
Entered before the transaction, left after its commit or rollback; raises `Refused` or `Unavailable`. One that changes
something itself reads body and version before, so that a refused call changes nothing.
"""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """
    An operation and its handler. Public operations run as the service role, the others as the tenant.

    ``of_person``: concerns the callers themselves, independent of the account (password, second factor, sessions). Such
    data belongs to no account, so these run as the service role too; their queries must filter by the caller's user id.
    ``is_steady``: reads only, with all rows as of one instant.
    ``streams``: ``prepare`` reads the body from the connection, and it may be larger than a JSON body.
    """

    operation: Operation
    handler: Handler
    prepare: Prepare | None = None
    streams: bool = False
    of_person: bool = False
    is_steady: bool = False
