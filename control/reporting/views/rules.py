"""
The rules about saved views. Pure.

A member sees their own views and those of the account. The creator changes and deletes a view. Owners and admins may do
so with every view of the account, too, but only its creator may take it back from the others.
"""

from common.contract.permissions import Role
from common.contract.validation_errors import refuse
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.reporting.views.schemas import ViewParameters

MAX_VIEWS = 200
"""Views of one account, in each environment."""
_MAY_CHANGE_ALL = frozenset({Role.OWNER, Role.ADMIN})


def check_range(question: ViewParameters) -> None:
    """Raises 422 unless there is either a named range or two days in order."""
    days = (question.from_, question.to)
    if question.range is not None and days == (None, None):
        return
    if question.range is not None or None in days:
        words = Message("Send either `range`, or both `from` and `to`.")
        raise refuse([Detail("question.range", "range", words)])
    if question.from_ and question.to and question.to < question.from_:
        words = Message("Must not be earlier than `from`.")
        raise refuse([Detail("question.to", "range", words)])


def check_may_change(role: Role | None, *, is_own: bool) -> None:
    """Raises 403 for a view of somebody else that the caller may only read."""
    if not is_own and role not in _MAY_CHANGE_ALL:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message(
                "Only the creator of this view, an owner or an admin may change it. Save a copy "
                "under another name."
            ),
        )


def check_takes_back(*, is_own: bool) -> None:
    """Raises 403 if somebody else would make a view of the account private."""
    if not is_own:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message("Only the creator of this view may make it private. Delete it instead."),
            param="is_shared",
        )


def check_room(count: int) -> None:
    """Raises 409 if the account has no room for one more view."""
    if count >= MAX_VIEWS:
        raise Refused(
            ErrorCode.LIMIT_REACHED,
            Message(
                "The account has {count} views here, and at most {max_views} are allowed. Delete "
                "one that is no longer used.",
                count=count,
                max_views=MAX_VIEWS,
            ),
        )
