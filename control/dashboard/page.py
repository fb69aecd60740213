"""
The seam between the pages a person sees and what serves them: a screen is an address, who may see it, what shows it
and the acts of its forms. A room's screens stand in its ``SCREENS``; `control.dashboard.page_registry` lists all rooms.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from common.contract.operation import STRANGERS_BODY_BYTES, USUAL_BODY_BYTES, Operation
from control.dashboard.embed_sessions.components import Component

if TYPE_CHECKING:
    from control.dashboard.page_request import PageRequest


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page: *template* (below ``templates/``) with *values*; ``status`` is the answer's."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Redirected:
    """
    After an act: look at *path*, made by `PageRequest.url` (303, so that reloading repeats nothing). ``told``: the
    name of a sentence of `control.dashboard.frame.told` that stands above the page then. ``saved``: the campaign that
    was saved, of which an embedded window tells its host.
    """

    path: str
    told: str | None = None
    saved: str | None = None
    cookies: tuple[str, ...] = ()
    """``Set-Cookie`` values."""


Send = Callable[[bytes], Awaitable[None]]
"""Waits for whoever is slow to take what is sent."""


@dataclass(frozen=True, slots=True)
class LiveStream:
    """
    An answer that goes on for as long as both sides stay: *run* sends it bit by bit, and ends it by returning.
    *admitted* is entered before the first bit, and may raise `ApiError`.
    """

    run: Callable[[Send], Awaitable[None]]
    media_type: str
    admitted: AbstractContextManager[None]


Result = Rendered | Redirected | LiveStream
Handler = Callable[["PageRequest"], Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """
    *path* is Sanic's, without what the mount puts before it: ``/campaigns/<id:str>``. With ``of_environment`` that is
    ``/live`` or ``/test``, and `PageRequest.environment` says which.

    *show* answers GET. Of a POST, the form's field ``act`` names which of *acts* it is for (a form with one act sends
    none, and *acts* has ``""``). An act that raises `ApiError` shows the page again, with `PageRequest.trouble` set
    and what was typed in `PageRequest.form`.

    *components*: the embedded windows that may show it. *is_public*: for people who are not signed in, too.
    """

    name: str
    path: str
    show: Handler
    acts: Mapping[str, Handler] = field(default_factory=dict)
    of_environment: bool = True
    is_public: bool = False
    components: frozenset[Component] = frozenset()
    streams: bool = False
    """Its one act is a file: the body is left on the connection for the operation to read."""
    needs: Operation | None = None
    """Who may not ask for this operation does not see the page, nor links to it."""
    keeps_token: bool = False
    """Its address holds a secret out of a mail: no script runs on the page, and no link tells where it came from."""
    before_enrolment: bool = False
    """For them, too, who must set up a second factor before they may do anything else."""
    is_part: bool = False
    """No page: scripts of pages ask for it."""

    @property
    def max_form_bytes(self) -> int:
        """What its form may have: as much as the operation behind it takes."""
        if self.is_public:
            return STRANGERS_BODY_BYTES
        return max(USUAL_BODY_BYTES, self.needs.max_body_bytes if self.needs else 0)
