"""
The seam between dispatch and a resource's endpoints: what a handler gets, and what it gives back.

A handler parses nothing and commits nothing: query and body arrive validated, the transaction is open and is
committed by dispatch after the snapshot changes were written to the outbox in it. It never waits for the outside:
what has to (a resolver, a bucket, an upload) is prepared before the transaction is opened.
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
from control.foundation.rate_limit import RateStanding
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
    """The caller's address, as trusted proxies saw it; a stranger cannot make one up."""
    path: dict[str, str]
    query: Any
    """An instance of ``operation.query``, or of `NoQuery`."""
    parsed_body: Any
    """What `body` gives, or the `Refused` that it raises."""
    parsed_version: int | Refused | None
    """What `if_match` gives, or the `Refused` that it raises."""
    changes: Changes
    """What edges must know of this transaction; see `control.outbox.changes`."""
    caller: Principal | None
    rate: RateStanding
    """How often the caller may still call now, this call counted."""
    prepared: Any = None
    """The value that the endpoint's `Prepare` gave, or None."""
    object_id: str | None = None
    """
    What the audit log names as the object: set by a handler where it is neither ``{id}`` of the path nor ``id`` of
    the answer.
    """
    detail: dict[str, Any] = field(default_factory=dict)
    """What the audit log shall say beyond the fields sent and the states moved; never a secret's value."""

    @property
    def body(self) -> Any:
        """
        An instance of ``operation.body``, or None. Raises `Refused` where the body is wrong.

        Look the object up before asking: an absent one is 404, whatever the body holds.
        """
        if isinstance(self.parsed_body, Refused):
            raise self.parsed_body
        return self.parsed_body

    @property
    def if_match(self) -> int | None:
        """
        The version the caller read, of an operation that ``needs_version`` or ``may_say_version``; None where a verb
        came without. Raises `Refused` (412, 422, 428).
        """
        if isinstance(self.parsed_version, Refused):
            raise self.parsed_version
        return self.parsed_version

    @property
    def principal(self) -> Principal:
        """The caller of an operation that asks for authentication."""
        if self.caller is None:
            raise RuntimeError(f"{self.operation.id} is public and has no principal")
        return self.caller


@dataclass(frozen=True, slots=True)
class Reply:
    """
    ``body``: a model, or of lists that are long the JSON form of one.
    ``secret``: the body holds a secret, so a stored copy of it (Idempotency-Key) is encrypted.
    """

    body: BaseModel | dict[str, Any] | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    secret: bool = False


@dataclass(frozen=True, slots=True)
class PreTransactionCall:
    """An admitted call before its transaction. It may open short transactions of its own, and wait for the outside."""

    operation: Operation
    control: ControlContext
    request: Request
    """For what is streamed; everything else is parsed already."""
    now: datetime
    client_ip: str
    """As `Call.client_ip`."""
    path: dict[str, str]
    query: Any
    parsed_body: Any
    caller: Principal | None

    @property
    def body(self) -> Any:
        """As `Call.body`."""
        if isinstance(self.parsed_body, Refused):
            raise self.parsed_body
        return self.parsed_body

    @property
    def principal(self) -> Principal:
        """As `Call.principal`."""
        if self.caller is None:
            raise RuntimeError(f"{self.operation.id} is public and has no principal")
        return self.caller


@dataclass(frozen=True, slots=True)
class PreparedInput:
    """
    ``value`` becomes `Call.prepared`. ``fingerprint`` stands for the body in an Idempotency-Key's claim, where the
    body was streamed: equal bodies, equal fingerprints.
    """

    value: Any
    fingerprint: bytes | None = None


Handler = Callable[[Call], Awaitable[Reply]]
Prepare = Callable[[PreTransactionCall], AbstractAsyncContextManager[PreparedInput]]
"""Entered before the transaction, left after its commit or its end; raises `Refused` or `Unavailable`."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """
    An operation and what answers it. Public operations run as the service role, the others as the tenant.

    ``of_person``: about the caller themself, whatever account they signed in to (password, second factor, sessions).
    Such things belong to no account, so it runs as the service role too: its queries take the caller's user id.

    ``is_steady``: it reads only, and everything as it stood at one instant.

    ``streams``: the body is left on the connection for ``prepare`` to read, and may be larger than JSON may.
    """

    operation: Operation
    handler: Handler
    prepare: Prepare | None = None
    streams: bool = False
    of_person: bool = False
    is_steady: bool = False
