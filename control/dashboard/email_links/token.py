"""The token of a mail, as its link or its form carries it."""

from control.dashboard.page_request import View

_MOST_CHARS = 200


def token_of(view: View) -> str:
    """Empty where there is none."""
    return (view.typed("token") or view.asked("token"))[:_MOST_CHARS]
