"""The kinds of mail that the service sends; `control.identity.own_data.mail_topics` describes each to its readers."""

from enum import StrEnum


class MailKind(StrEnum):
    """The values are `MailRow.kind`, and labels of metrics."""

    EMAIL_VERIFICATION = "email_verification"
    INVITATION = "invitation"
    INVOICE_UNPAID = "invoice_unpaid"
    KEYS_TO_ROTATE = "keys_to_rotate"
    PASSWORD_CHANGED = "password_changed"
    PASSWORD_RESET = "password_reset"
    PAYOUT_CHANGED = "payout_changed"
    RECOVERY_CODE_USED = "recovery_code_used"
    SECOND_FACTOR_OFF = "second_factor_off"
    SECOND_FACTOR_ON = "second_factor_on"
    SUBSCRIPTION_ENDING = "subscription_ending"
    VERIFICATION_FAILING = "verification_failing"
    VERIFICATION_LOST = "verification_lost"
    VERIFICATION_MOVED = "verification_moved"


LIMITED = frozenset({MailKind.EMAIL_VERIFICATION, MailKind.INVITATION})
"""
Mails that can be caused to go to somebody else's address; they are limited per address.

A password reset has a limit of its own (`control.identity.passwords.reset`), because otherwise invitations by a third
party could lock a user out. Notifications about a user's own account are not limited: nobody else causes them, and a
suppressed one could be about a break-in.
"""
