"""The mails that the service sends to its users: which, when, and which of them a user may refuse."""

from dataclasses import dataclass
from enum import StrEnum

from common.contract.permissions import Role


class OptionalMail(StrEnum):
    """Mails that a user may refuse; the values are `MailRow.kind`, stored in `UserRow.mails_off`."""

    KEYS_TO_ROTATE = "keys_to_rotate"
    VERIFICATION_FAILING = "verification_failing"


@dataclass(frozen=True, slots=True)
class MailKind:
    """``about`` and ``how_often`` are also in the catalogues. ``roles``: who receives it; empty: every user."""

    about: str
    how_often: str
    roles: frozenset[Role]
    option: OptionalMail | None = None


_OWNERS = frozenset({Role.OWNER})

MAIL_KINDS: tuple[MailKind, ...] = (
    MailKind(
        "Keys older than 90 days",
        "Once a week, while there are any",
        frozenset({Role.OWNER, Role.ADMIN}),
        OptionalMail.KEYS_TO_ROTATE,
    ),
    MailKind(
        "A verified domain whose proof is missing",
        "Once, a week before live ads stop",
        _OWNERS,
        OptionalMail.VERIFICATION_FAILING,
    ),
    MailKind("A property that lost its verification", "Each time, because live ads stop", _OWNERS),
    MailKind("Changed payout details", "Each time, because somebody else may be paid", _OWNERS),
    MailKind(
        "Unpaid invoices and ending subscriptions", "On the days set in the contract", _OWNERS
    ),
    MailKind(
        "Your password, your second factor and your recovery codes",
        "Each time one changes or is used",
        frozenset(),
    ),
    MailKind("Links that you requested, and invitations", "Each time", frozenset()),
)
