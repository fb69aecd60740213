"""Opens an account: the form, then the first sign-in."""

from dataclasses import replace

from babel.numbers import get_territory_currencies

from common.values.environment import Environment
from common.values.errors import ApiError, Detail, ErrorCode, Refused
from common.values.messages import Message
from common.values.money import CURRENCIES
from control.dashboard.form_body import body_of, text
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.sign_in.screens import begin, start_of
from control.foundation.languages import tag_of
from control.identity.accounts.endpoints import CREATE

_READERS = {"name": text, "owner_name": text, "email": text, "currency": text}


async def show(view: PageRequest) -> Result:
    if view.is_signed_in:
        return Redirected(start_of(view))
    locale = view.user_locale.locale
    names = [(one, f"{one} – {locale.currencies.get(one, one)}") for one in sorted(CURRENCIES)]
    return Rendered(
        "sign_up/sign_up.html", {"currencies": names, "usual": _currency_of(locale.territory)}
    )


async def sign_up(view: PageRequest) -> Result:
    password = view.form_field("password")
    try:
        own = {"password": password, "language": tag_of(view.user_locale.language)}
        made = await view.call(CREATE, body=body_of(view.form, _READERS) | own)
    except ApiError as error:
        if error.code is not ErrorCode.ALREADY_EXISTS:
            raise
        raise _taken() from error
    if view.control.settings.require_verified_email:
        return Redirected(view.url("sign_in"), flash="verify_first")
    entered = await begin(view, made["user"]["email"], password)
    if isinstance(entered, Redirected):  # a new account can succeed in TEST at once
        return replace(entered, path=view.url("first_steps", environment=Environment.TEST))
    return entered


def _currency_of(territory: str | None) -> str:
    """The currency of the reader's country; US dollars where none is known."""
    used = get_territory_currencies(territory) if territory else []
    return next((one for one in used if one in CURRENCIES), "USD")


def _taken() -> Refused:
    message = Message("This address already has an account. Sign in, or use another address.")
    return Refused(
        ErrorCode.ALREADY_EXISTS,
        message,
        param="email",
        details=(Detail("email", "taken", message),),
    )


SCREENS = (
    PageRoute("sign_up", "/sign-up", show, {"": sign_up}, of_environment=False, is_public=True),
)
