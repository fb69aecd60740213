"""
The request of a page: the user, the environment, the language, and access to the API's operations.

A page calls an operation as a client of the API would, only without HTTP: with the same permissions, the same
validation, the same audit line. So a page can do nothing that an integrator could not.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import orjson
from sanic import Request

from common.contract.models import NoQuery
from common.contract.operation import Operation
from common.values.environment import Environment
from common.values.errors import ApiError, Refused
from common.values.messages import Message
from control.api.admission import Admission
from control.api.authorization import authorize
from control.api.call import Endpoint
from control.api.context import ControlContext
from control.api.execute import IdempotentRequest, OperationInput, check_permission, execute
from control.api.idempotency import StoredResponse
from control.api.listing import Counted, WantedRows, count_rows
from control.dashboard.embed_sessions.components import Component
from control.dashboard.i18n import UserLocale
from control.dashboard.page import PageRoute
from control.foundation.http.inputs import ON_LOOP_BYTES, validate_body, validate_query
from control.foundation.principal import Principal
from control.foundation.wire_types import FOR_PAGES

_OF_PAGES = frozenset({"environment", "limit"})
_VERSION_DIGITS = 9
"""Parameters of lists that a page sets itself."""


class PageRegistry(Protocol):
    """What all views of a process share."""

    @property
    def screens(self) -> Mapping[str, PageRoute]:
        """By name."""
        ...

    @property
    def endpoints(self) -> Mapping[str, Endpoint]:
        """By the id of the operation."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """
    The layout around a page.

    ``prefix`` is put before every address, ``layout`` is the template that pages extend. ``component``: of an embedded
    window, else None.
    """

    prefix: str
    layout: str
    component: Component | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    """Of an embedded window: the context of its session (``campaign_id``, ``external_ref``, …)."""


@dataclass(slots=True)
class PageRequest:
    control: ControlContext
    surface: PageRegistry
    frame: Layout
    screen: PageRoute
    request: Request
    admission: Admission
    now: datetime
    environment: Environment | None
    """The environment of the page's campaigns, events and figures; None for a page of the account, which both share."""
    links_to: Environment
    """The environment of the page's links."""
    user_locale: UserLocale
    timezone: ZoneInfo
    path: dict[str, str]
    """Of the address, without the environment."""
    query: Mapping[str, Sequence[str]]
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The typed values of a POST."""
    is_check: bool = False
    """The form is sent only to be validated: nothing may be changed."""
    error: ApiError | None = None
    """Why the action was refused."""
    explains_error: bool = False
    """Whether the page shows the error in words of its own."""
    labels: dict[str, str] = field(default_factory=dict)
    """The labels of the form's fields by their API names, as far as the page is rendered."""
    me: Mapping[str, Any] | None = None
    """The response of ``GET /v1/me``; None where nobody is signed in."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many things wait on a screen, by its name: shown in the navigation."""

    @property
    def caller(self) -> Principal:
        """The principal of a screen that is not public."""
        if self.admission.principal is None:
            raise RuntimeError(f"{self.screen.name} is public: nobody may be signed in")
        return self.admission.principal

    @property
    def currency(self) -> str:
        """The account's; amounts of public pages are in US dollars."""
        return str(self.me["account"]["currency"]) if self.me else "USD"

    @property
    def is_refresh(self) -> bool:
        """Whether a script requests the page that is already shown, for parts that have changed."""
        return "placard-refresh" in self.request.headers

    @property
    def is_signed_in(self) -> bool:
        return self.admission.principal is not None

    def query_param(self, name: str, otherwise: str = "") -> str:
        """A parameter of the address."""
        return next(iter(self.query.get(name, ())), otherwise)

    def query_values(self, name: str) -> list[str]:
        """The values of a parameter of the address: repeated, separated by commas, or both; each once."""
        parts = [part.strip() for given in self.query.get(name, ()) for part in given.split(",")]
        return list(dict.fromkeys(part for part in parts if part))

    def list_params(self, operation: Operation) -> dict[str, str]:
        """The parameters of the list *operation* in the address; "" for those that it lacks."""
        names = operation.query.model_fields if operation.query else ()
        return {name: self.query_param(name).strip() for name in names if name not in _OF_PAGES}

    def form_field(self, name: str, otherwise: str = "") -> str:
        """A field of the form."""
        return next(iter(self.form.get(name, ())), otherwise)

    @property
    def form_version(self) -> int | None:
        """The version of the object as the form showed it; None where the form lacks it."""
        text = self.form_field("version")
        is_number = text.isascii() and text.isdigit() and len(text) <= _VERSION_DIGITS
        return int(text) if is_number else None

    def error_of(self, param: str) -> str | None:
        """The errors of a field, by its API name (``budget.total_cents``); for a list also those of its items."""
        if self.error is None:
            return None
        found = [
            one.message
            for one in self.error.details
            if one.param == param or _is_item(one.param, param)
        ]
        if found:
            return found[0] if len(found) == 1 else Message.joined(found)
        return self.error.message if self.error.param == param else None

    def label_field(self, name: str, label: str) -> str:
        """Notes the label of a field for the summary of errors."""
        self.labels[name] = label
        return label

    def field_of(self, param: str) -> str | None:
        """The field of the page that holds *param*: ``sizes`` for ``sizes.0.width``. None where the page has none."""
        while param and param not in self.labels:
            param = param.rpartition(".")[0]
        return param or None

    def fields_of(self, params: Sequence[str]) -> list[str]:
        """The fields of the page that hold *params*, each once."""
        return list(dict.fromkeys(name for one in params if (name := self.field_of(one))))

    def has_error_in(self, *names: str) -> bool:
        """Whether one of these fields has an error, or a part of one: ``targeting`` for ``targeting.geo.include``."""
        details = self.error.details if self.error else ()
        return any(f"{one.param}.".startswith(f"{name}.") for one in details for name in names)

    def is_open(self, section: str, otherwise: object, *fields: str) -> bool:
        """
        Whether a folded section of a form is open. It stays as the user had it, which only a script sends; without one
        *otherwise* decides. A section with an error in one of its *fields* is always open.
        """
        sent = self.form_field(f"open.{section}")
        return self.has_error_in(*fields) or (sent == "1" if sent else bool(otherwise))

    @property
    def has_faulty_fields(self) -> bool:
        """Whether the error is of a field that the page has."""
        return self.error is not None and any(
            self.field_of(one.param) for one in self.error.details
        )

    def can(self, operation_id: str) -> bool:
        """Whether the user may call the operation; its object is not checked."""
        caller = self.admission.principal
        if caller is None:
            return False
        try:
            authorize(self.surface.endpoints[operation_id].operation, caller)
        except Refused:
            return False
        return True

    def page_exists(self, name: str) -> bool:
        """Whether a screen of this name exists that the user may see."""
        screen = self.surface.screens.get(name)
        if screen is None or (
            self.frame.component and self.frame.component not in screen.components
        ):
            return False
        return screen.is_public or screen.needs is None or self.can(screen.needs.id)

    def url(self, name: str, /, *, environment: str | None = None, **values: Any) -> str:
        """
        The address of a screen.

        *values* fill its path; the remaining ones become the query, without those that are None or empty. Raises
        `LookupError` where the path needs a value that is missing.
        """
        screen = self.surface.screens[name]
        path = screen.path
        for key in list(values):
            slot = f"<{key}:str>"
            if slot in path:
                path = path.replace(slot, str(values.pop(key)))
        if ":str>" in path:
            raise LookupError(f"The address of {name} needs more values: {path}")
        if screen.of_environment:
            path = f"/{environment or self.links_to}{path}"
        elif self._has_test_address(screen) and (environment or self.links_to) == Environment.TEST:
            path = f"/{Environment.TEST}{path}"
        query = urlencode({key: value for key, value in values.items() if value not in (None, "")})
        return f"{self.frame.prefix}{path}" + (f"?{query}" if query else "")

    def _has_test_address(self, screen: PageRoute) -> bool:
        """Whether `control.dashboard.routing` gives the screen a test address."""
        return not screen.is_public and not self.frame.prefix

    async def call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        version: int | None = None,
    ) -> Any:
        """
        The operation's response as JSON values; None for an empty response. Raises `ApiError`.

        Messages in it are their parts, for ``translated`` in a template.

        The environment is this view's, unless *query* names one. A creating call is made only once, however often the
        form is sent, if the form has the field ``once``.
        """
        endpoint = self.surface.endpoints[operation.id]
        answer = await self.execute(endpoint, path=path, query=query, body=body, version=version)
        if answer.model is not None:
            return answer.model.model_dump(mode="json", context=FOR_PAGES)
        return orjson.loads(answer.body) if answer.body else None

    async def count(self, listed: Operation, wanted: WantedRows) -> Counted:
        """
        How many rows the list of the operation *listed* has, with the access to rows that the operation has.

        *wanted* comes from the query module of the package that owns the table.
        """
        database = self.control.database
        of_person = self.surface.endpoints[listed.id].of_person
        rows = database.service() if of_person else database.tenant(self.caller.account_id)
        async with rows as session:
            return await count_rows(session, wanted)

    def list_query(self, operation: Operation, params: Mapping[str, Any]) -> Any:
        """The filters of a list as its operation's model, without the cursor. Raises `Refused`."""
        return self._query_of(operation, {**params, "cursor": ""})

    async def execute(
        self,
        endpoint: Endpoint,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        version: int | None = None,
    ) -> StoredResponse:
        """As `call`, for an endpoint that the API may not offer; returns the response as it would be sent."""
        operation, steps = endpoint.operation, dict(path or {})
        admission = self._admission_to(operation)
        check_permission(endpoint, admission.principal, steps)
        fields = self._query_of(operation, query or {})
        operation_input = OperationInput(
            request=self.request,
            path=steps,
            query=fields,
            body=None if endpoint.streams else await self._judged(operation, body),
            version=version,
            once=self._once(operation, steps, body),
        )
        return await execute(self.control, endpoint, operation_input, admission)

    async def _judged(self, operation: Operation, body: Any) -> Any:
        """`_body_of`, of a long form outside the event loop."""
        if len(self.request.body) <= ON_LOOP_BYTES:
            return _body_of(operation, body)
        return await asyncio.to_thread(_body_of, operation, body)

    def _admission_to(self, operation: Operation) -> Admission:
        """Public operations are called without a principal, even if a user is signed in."""
        return self.admission if operation.auth else replace(self.admission, principal=None)

    def _query_of(self, operation: Operation, query: Mapping[str, Any]) -> Any:
        model = operation.query or NoQuery
        fields = {name: _text(value) for name, value in query.items() if value not in (None, "")}
        needs_environment = "environment" in model.model_fields and "environment" not in fields
        if needs_environment and self.environment is not None:
            fields["environment"] = self.environment
        return validate_query(operation, fields)

    def _once(
        self, operation: Operation, path: Mapping[str, str], body: Any
    ) -> IdempotentRequest | None:
        key = self.form_field("once")
        if not (operation.creates and key):
            return None
        return IdempotentRequest(
            f"form:{key[:100]}", operation.path.format(**path), "", orjson.dumps(body)
        )


def environment_shown(view: PageRequest) -> Environment:
    """The environment of a page that has one."""
    if view.environment is None:
        raise RuntimeError(f"{view.screen.name} belongs to no environment")
    return view.environment


def is_filtered(params: Mapping[str, str]) -> bool:
    """Whether the parameters of a list leave anything out."""
    return any(value for name, value in params.items() if name not in ("cursor", "sort"))


def _is_item(param: str, of: str) -> bool:
    """Whether *param* is an item of the list *of*, or a part of one: ``sizes.0.width``."""
    place = param.removeprefix(f"{of}.")
    return place != param and place.partition(".")[0].isdecimal()


def _body_of(operation: Operation, body: Any) -> Any:
    """The model, or the error as a value, which is raised when the handler reads the body."""
    if operation.body is None:
        return None
    try:
        return validate_body(operation, {} if body is None else body)
    except Refused as refusal:
        return refusal


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return ",".join(str(one) for one in value)
        case _:
            return str(value)
