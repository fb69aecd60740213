"""
The interface between pages and the code that serves them: a screen has an address, permissions, a view and actions.

A section's screens are in its ``SCREENS``; `control.dashboard.page_registry` lists all sections.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from common.contract.operation import UNAUTHENTICATED_BODY_BYTES, USUAL_BODY_BYTES, Operation
from control.dashboard.embed_sessions.components import Component
from control.foundation.resource_models import field_schemas

if TYPE_CHECKING:
    from control.dashboard.page_request import PageRequest


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page: *template* (below ``templates/``) with *values*; ``status`` is that of the response."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    connects_to: str | None = None
    """An origin besides this host that its scripts request."""
    frames: str | None = None
    """An origin besides this host whose documents it frames."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """
    Redirects to *path* after an action, made by `PageRequest.url` (303, so that reloading repeats nothing).

    ``flash``: the name of a message of `control.dashboard.flash_messages` that the page then shows. ``saved``: the
    campaign that was saved, which an embedded window reports to its host. ``undo``: the ids of the objects that the act
    changed, where `control.dashboard.undo` can change them back.
    """

    path: str
    flash: str | None = None
    saved: str | None = None
    undo: Sequence[str] = ()
    cookies: tuple[str, ...] = ()
    """``Set-Cookie`` values."""


Send = Callable[[bytes], Awaitable[None]]
"""Sends data, and waits for a slow receiver."""


@dataclass(frozen=True, slots=True)
class LiveStream:
    """
    A response that lasts as long as both sides stay: *run* sends it in parts, and ends it by returning.

    *admitted* is entered before the first part, and may raise `ApiError`. With a *filename* the browser saves it.
    """

    run: Callable[[Send], Awaitable[None]]
    media_type: str
    admitted: AbstractContextManager[None]
    filename: str = ""


Result = Rendered | Redirected | LiveStream
Handler = Callable[["PageRequest"], Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """
    *path* is Sanic's, without the prefix of the mount: ``/campaigns/<id:str>``.

    With ``of_environment`` the prefix includes ``/live`` or ``/test``, and `PageRequest.environment` holds it.

    *show* answers GET. Of a POST, the form's field ``act`` names the action in *acts* (a form with one action sends
    none, and *acts* has ``""``). An action that raises `ApiError` shows the page again, with `PageRequest.error` set
    and the typed values in `PageRequest.form`.

    *components*: the embedded windows that may show it. *is_public*: also for people who are not signed in.
    """

    name: str
    path: str
    show: Handler
    acts: Mapping[str, Handler] = field(default_factory=dict)
    of_environment: bool = True
    is_public: bool = False
    components: frozenset[Component] = frozenset()
    streams: bool = False
    """Its only action is a file upload: the operation reads the body from the connection."""
    needs: Operation | None = None
    """A user who may not call this operation sees neither the page nor links to it."""
    body: type[BaseModel] | None = None
    """The model of its form, where that is not the body of *needs*."""
    keeps_token: bool = False
    """Its address holds a secret from a mail: no script runs on the page, and links send no full referrer."""
    before_enrolment: bool = False
    """Also for users who must set up a second factor before anything else."""
    is_part: bool = False
    """Not a page: scripts of pages request it."""
    listed: Operation | None = None
    """The list that its filters narrow, where that is not *needs*."""

    @property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The JSON schemas of the fields of its form, by their dotted names."""
        model = self.body or (self.needs.body if self.needs else None)
        return field_schemas(model) if model else {}

    @property
    def filters(self) -> Mapping[str, Mapping[str, Any]]:
        """The JSON schemas of the parameters of its list, by their names."""
        listed = self.listed or self.needs
        return field_schemas(listed.query) if listed and listed.query else {}

    @property
    def max_form_bytes(self) -> int:
        """The size limit of its form: that of the operation behind it."""
        if self.is_public:
            return UNAUTHENTICATED_BODY_BYTES
        return max(USUAL_BODY_BYTES, self.needs.max_body_bytes if self.needs else 0)
