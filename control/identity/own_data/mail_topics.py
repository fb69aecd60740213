"""What mails to users are about: who receives them, how often, and whether a user may refuse them."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from common.contract.permissions import Role
from control.api.mail.kinds import MailKind

A_MONTH = timedelta(weeks=4)


class OptionalMail(StrEnum):
    """Mails that a user may refuse; stored in `UserRow.mails_off`."""

    KEYS_TO_ROTATE = MailKind.KEYS_TO_ROTATE.value
    VERIFICATION_FAILING = MailKind.VERIFICATION_FAILING.value


class WeeklyMail(StrEnum):
    """Weekly mails that a user may receive every four weeks instead; stored in `UserRow.mails_monthly`."""

    KEYS_TO_ROTATE = MailKind.KEYS_TO_ROTATE.value


@dataclass(frozen=True, slots=True)
class MailTopic:
    """
    Some kinds of mail as one row of a page. ``roles``: who receives them; empty: every user.

    ``option``: what a user refuses; a topic without it states ``reason``, why it is always sent. The texts are also in
    the catalogues.
    """

    kinds: tuple[MailKind, ...]
    about: str
    how_often: str
    roles: frozenset[Role] = frozenset()
    option: OptionalMail | None = None
    reason: str = ""

    @property
    def is_weekly(self) -> bool:
        return self.option is not None and self.option.value in set(WeeklyMail)


_OWNERS = frozenset({Role.OWNER})

MAIL_TOPICS: tuple[MailTopic, ...] = (
    MailTopic(
        (MailKind.KEYS_TO_ROTATE,),
        "Keys older than 90 days",
        "Once a week, while there are any",
        frozenset({Role.OWNER, Role.ADMIN}),
        option=OptionalMail.KEYS_TO_ROTATE,
    ),
    MailTopic(
        (MailKind.VERIFICATION_FAILING,),
        "A verified domain whose proof is missing",
        "Once, a week before live ads stop",
        _OWNERS,
        option=OptionalMail.VERIFICATION_FAILING,
    ),
    MailTopic(
        (MailKind.VERIFICATION_LOST, MailKind.VERIFICATION_MOVED),
        "A property that lost its verification",
        "Each time",
        _OWNERS,
        reason="Its live ads have stopped.",
    ),
    MailTopic(
        (MailKind.PAYOUT_CHANGED,),
        "Changed payout details",
        "Each time",
        _OWNERS,
        reason="Somebody else may be paid.",
    ),
    MailTopic(
        (MailKind.INVOICE_UNPAID, MailKind.SUBSCRIPTION_ENDING),
        "Unpaid invoices and ending subscriptions",
        "On the days set in the contract",
        _OWNERS,
        reason="The account is suspended if nothing is paid.",
    ),
    MailTopic(
        (
            MailKind.PASSWORD_CHANGED,
            MailKind.SECOND_FACTOR_ON,
            MailKind.SECOND_FACTOR_OFF,
            MailKind.RECOVERY_CODE_USED,
        ),
        "Your password, your second factor and your recovery codes",
        "Each time one changes or is used",
        reason="If it was not you, somebody has access to your account.",
    ),
    MailTopic(
        (MailKind.EMAIL_VERIFICATION, MailKind.PASSWORD_RESET, MailKind.INVITATION),
        "Links that you requested, and invitations",
        "Each time",
        reason="Somebody requested them.",
    ),
)
