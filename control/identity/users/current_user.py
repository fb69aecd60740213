"""The signed-in user, for operations about the caller themself."""

from dataclasses import dataclass

from control.foundation.principal import Principal


@dataclass(frozen=True, slots=True)
class SignedIn:
    user_id: str
    session_id: str


def current_user(principal: Principal) -> SignedIn:
    """The user and session of a caller with an access token. Raises `RuntimeError` for any other caller."""
    if principal.user_id is None or principal.session_id is None:
        raise RuntimeError(f"{principal.identity} is not signed in")
    return SignedIn(principal.user_id, principal.session_id)
