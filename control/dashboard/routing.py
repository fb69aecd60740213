"""
Serves screens at their addresses: identifies the user, reads the form, and returns the page or a redirect.

Errors are shown on the same page or on a page of their own. A user who is not signed in is sent to the sign-in, and
returns afterwards.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.client_address import client_address, network_of, peer_of
from common.http.errors import api_error
from common.http.router import READING
from common.values.environment import Environment
from common.values.errors import ApiError, ErrorCode, invalid, not_found
from common.values.messages import Message
from control.api.admission import Admission, rate_of_caller
from control.api.authorization import authorize
from control.api.call import Endpoint
from control.api.context import ControlContext
from control.dashboard.compression import compress_page
from control.dashboard.error_page import error_page
from control.dashboard.form_errors import in_currency
from control.dashboard.form_fields import receive_fields
from control.dashboard.i18n import LANGUAGE, choose_locale, timezone_of
from control.dashboard.page import LiveStream, PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import Layout, PageRequest
from control.dashboard.pickers.options import is_search
from control.dashboard.policy import page_headers
from control.dashboard.rendering import render
from control.dashboard.review.queries import count_waiting
from control.dashboard.undo import UNDO
from control.foundation.http.cookies import find_cookie
from control.foundation.principal import Principal
from control.foundation.rate_limit import check_rate
from control.identity.me import operations as me

CHECK = "placard-check"
_MAX_PARAMETERS = 100
_NO_VIEW = (ErrorCode.INTERNAL, ErrorCode.UNAVAILABLE)
"""With these errors, nothing of the account can be read."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The principal (None: not signed in), and the layout around the page."""

    principal: Principal | None
    frame: Layout
    is_suspended: bool = False
    """The principal is None because the account of the session is suspended."""


Identify = Callable[[ControlContext, Request], Awaitable[Identity]]
"""Identifies the caller of a request. Raises `Refused`, also for a POST from another site."""


@dataclass(frozen=True, slots=True)
class PageRoutes:
    """A set of screens, served in one way: the dashboard's by cookie, an embedded window's by its bearer."""

    prefix: str
    screens: Mapping[str, PageRoute]
    endpoints: Mapping[str, Endpoint]
    identify: Identify

    def add_to(self, app: Sanic[Any, Any], control: ControlContext) -> None:
        for screen in self.screens.values():
            for environment in self._environments(screen):
                start = f"{self.prefix}/{environment}" if environment else self.prefix
                address = f"{start}{screen.path}" or "/"
                app.add_route(
                    self._handler(control, screen, environment),
                    address,
                    methods=(*READING, "POST") if screen.acts else READING,
                    name=f"page_{slug(start)}_{screen.name}",
                    stream=True,  # a form is read once its sender is identified
                )

    def _environments(self, screen: PageRoute) -> Iterable[Environment | None]:
        """
        The environments in the addresses of *screen*.

        A page of the account has two addresses, so that its links lead back to where the user came from: ``/wallet``
        belongs to the live pages, ``/test/wallet`` to those of TEST.
        """
        if screen.of_environment:
            return Environment
        is_of_account = not screen.is_public and not self.prefix
        return (None, Environment.TEST) if is_of_account else (None,)

    def _handler(
        self, control: ControlContext, screen: PageRoute, environment: Environment | None
    ) -> Callable[..., Any]:
        async def handle(request: Request, **path: str) -> HTTPResponse | None:
            code = "ok"
            view: PageRequest | None = None
            try:
                identity = await self.identify(control, request)
                if identity.principal is None and not screen.is_public:
                    return _to_suspended() if identity.is_suspended else _to_sign_in(request)
                view = await self._view(
                    control, request, identity, screen=screen, environment=environment, path=path
                )
                result = await _result(view)
                if isinstance(result, LiveStream):
                    await _follow(view, result)
                    return None
                answer = _answer(view, result)
            except Exception as error:
                known = api_error(error)
                code = known.code
                if view is not None and known.code not in _NO_VIEW:
                    answer = _refused(view, known)
                elif self.prefix or screen.is_part or CHECK in request.headers:
                    raise  # a script sent the request, and reads the API's error
                else:
                    answer = error_page(
                        request, error, known, control.settings, keeps_token=screen.keeps_token
                    )
            finally:
                control.metrics.requests.labels(f"page:{screen.name}", code).inc()
            return answer

        return handle

    async def _view(
        self,
        control: ControlContext,
        request: Request,
        identity: Identity,
        *,
        screen: PageRoute,
        environment: Environment | None,
        path: dict[str, str],
    ) -> PageRequest:
        principal = identity.principal
        if environment and principal and principal.environment not in (None, environment):
            raise not_found()  # a key's window shows only its own environment
        view = PageRequest(
            control=control,
            surface=self,
            frame=identity.frame,
            screen=screen,
            request=request,
            admission=_admission(control, request, principal),
            now=control.clock.now(),
            environment=environment if screen.of_environment else None,
            links_to=environment or Environment.LIVE,
            user_locale=choose_locale(*_languages(request, identity.frame)),
            timezone=timezone_of(request),
            path=path,
            query=_parse_query(request),
            is_check=CHECK in request.headers,
        )
        if principal is not None:
            view.me = await view.call(me.GET)
            if not (screen.is_part or identity.frame.component or principal.must_enrol):
                view.counts = {"review_queue": await count_waiting(view)}
        return view


async def _result(view: PageRequest) -> Result:
    """A refused action shows its page again, with the typed values."""
    screen, request = view.screen, view.request
    if _must_enrol_first(view):
        return Redirected(view.url("second_factor", next=request.path))
    _check_allowed(view)
    if request.method != "POST":
        return await screen.show(view)
    if not screen.streams:
        view.form = await receive_fields(view)
        if is_search(view.form):
            return await screen.show(view)
    act = screen.acts.get(view.form_field("act"))
    if act is None:
        raise not_found()
    try:
        return await act(view)
    except ApiError as error:
        if error.code in (ErrorCode.NOT_FOUND, ErrorCode.UNAVAILABLE):
            raise
        view.error = in_currency(error, view.currency, view.user_locale.locale)
    shown = await screen.show(view)
    if not isinstance(shown, Rendered):
        return shown
    status = 200 if view.is_check else view.error.status  # a completed validation is no failure
    return replace(shown, status=status)


def _must_enrol_first(view: PageRequest) -> bool:
    """A user who must set up a second factor is redirected to its page instead of being refused."""
    principal, screen = view.admission.principal, view.screen
    if principal is None or not principal.must_enrol:
        return False
    return not (screen.before_enrolment or screen.is_public)


def _check_allowed(view: PageRequest) -> None:
    """Raises `Refused`: 404 where this window has no such page, 403 where the user may not see it."""
    component = view.frame.component
    if component is not None and component not in view.screen.components:
        raise not_found()
    if view.screen.needs is not None:
        authorize(view.screen.needs, view.caller)


async def _follow(view: PageRequest, followed: LiveStream) -> None:
    """Turns off nginx's buffering, which would delay the parts."""
    headers = page_headers(view.control.settings) | {"X-Accel-Buffering": "no"}
    if followed.filename:
        headers["Content-Disposition"] = f'attachment; filename="{followed.filename}"'
    with followed.admitted:
        answer: HTTPResponse = await view.request.respond(
            headers=headers, content_type=followed.media_type
        )
        if view.request.method == "HEAD":
            await answer.send(b"")  # sends only the headers: the body has no end
            return
        await followed.run(answer.send)


def _answer(view: PageRequest, result: Rendered | Redirected) -> HTTPResponse:
    match result:
        case Rendered():
            return _page(view, result)
        case Redirected():
            flash = {"flash": result.flash, "saved": result.saved, UNDO: ",".join(result.undo)}
            query = urlencode({name: value for name, value in flash.items() if value})
            joint = "&" if "?" in result.path else "?"
            answer = HTTPResponse(None, status=303)
            answer.headers["Location"] = result.path + (f"{joint}{query}" if query else "")
            for cookie in result.cookies:
                answer.headers.add("Set-Cookie", cookie)
            return answer


def _refused(view: PageRequest, error: ApiError) -> HTTPResponse:
    view.error = error
    return _page(view, Rendered("frame/refused.html", {"error": error}, error.status))


def _page(view: PageRequest, shown: Rendered) -> HTTPResponse:
    keeps_token = view.screen.keeps_token
    answer = HTTPResponse(
        render(view, shown),
        status=shown.status,
        headers=page_headers(
            view.control.settings,
            keeps_token=keeps_token,
            connects_to=shown.connects_to,
            frames=shown.frames,
        ),
        content_type="text/html; charset=utf-8",
    )
    if view.error is not None and view.error.retry_after_s is not None:
        answer.headers["Retry-After"] = str(view.error.retry_after_s)
    return compress_page(view.request, answer, keeps_token=keeps_token)


def _to_sign_in(request: Request) -> HTTPResponse:
    """Redirects to the sign-in, which returns here afterwards if this address can be shown."""
    here = request.path + (f"?{request.query_string}" if request.query_string else "")
    back = f"?next={quote(here)}" if request.method in READING and here != "/" else ""
    return HTTPResponse(None, status=303, headers={"Location": f"/sign-in{back}"})


def _to_suspended() -> HTTPResponse:
    return HTTPResponse(None, status=303, headers={"Location": "/suspended"})


def slug(text: str) -> str:
    return text.strip("/").replace("/", "_")


def _admission(control: ControlContext, request: Request, principal: Principal | None) -> Admission:
    """A page counts as one call, however many operations it uses. Raises `Refused` (429)."""
    client_ip = client_address(peer_of(request), request.headers, control.settings.trusted_proxies)
    who = principal.identity if principal else f"address:{network_of(client_ip)}"
    rate_status = check_rate(
        control.limiter, f"page:{who}", rate_of_caller(control), control.clock.monotonic_s()
    )
    return Admission(principal, rate_status, client_ip)


def _parse_query(request: Request) -> dict[str, list[str]]:
    """The parameters of the address. Raises `Refused`."""
    try:
        query = parse_qs(
            request.query_string, keep_blank_values=True, max_num_fields=_MAX_PARAMETERS
        )
    except ValueError:
        raise invalid(
            "query",
            "length",
            Message("Send at most {max_parameters} parameters.", max_parameters=_MAX_PARAMETERS),
        ) from None
    for name, values in query.items():
        if "\0" in name or any("\0" in value for value in values):
            raise invalid(
                name.replace("\0", ""),
                "control_character",
                Message("Remove the NUL character (U+0000)."),
            )
    return query


def _languages(request: Request, frame: Layout) -> tuple[str | None, str]:
    """The language chosen by the host of a window or by the user, and those the browser accepts."""
    chosen = frame.context.get("locale") or find_cookie(request, LANGUAGE)
    return chosen, request.headers.getone("accept-language", "")
