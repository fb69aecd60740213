"""The token of a mail, from its link or its form."""

from control.dashboard.page_request import PageRequest

_MAX_CHARS = 200


def token_of(view: PageRequest) -> str:
    """Empty where there is none."""
    return (view.typed("token") or view.asked("token"))[:_MAX_CHARS]
