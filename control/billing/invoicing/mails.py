"""Mails that warn owners before a suspension."""

from dataclasses import dataclass
from datetime import date, datetime

from common.values.messages import Message
from common.values.money import Amount
from control.api.mail.letter import Letter


@dataclass(frozen=True, slots=True)
class Ending:
    """``amount``: of the invoice, or the price of a subscription's term."""

    end_at: datetime
    suspended_at: datetime
    amount: Amount


def subscription_letter(ending: Ending, url: str, now: datetime) -> Letter:
    """*url*: where an owner renews the subscription."""
    end = ending.end_at.date()
    return Letter(
        Message("Your subscription ends"),
        (
            Message("Your Placard subscription ended on {end}.", end=end)
            if ending.end_at <= now
            else Message("Your Placard subscription ends on {end}.", end=end),
            Message(
                "If it is not renewed, the account will be suspended on {suspended} and stop serving ads.",
                suspended=ending.suspended_at.date(),
            ),
            Message("To continue, renew it. A term costs {amount}.", amount=ending.amount),
        ),
        (Message("Renew the subscription"), url),
    )


def invoice_letter(ending: Ending, month: date, url: str, now: datetime) -> Letter:
    """*month*: a day in the month of the invoice."""
    amount, end = ending.amount, ending.end_at.date()
    return Letter(
        Message("Unpaid invoice"),
        (
            Message(
                "The invoice for {month:%Y-%m} of {amount} was due on {end} and has not been paid.",
                month=month,
                amount=amount,
                end=end,
            )
            if ending.end_at <= now
            else Message(
                "The invoice for {month:%Y-%m} of {amount} is due on {end} and has not been paid.",
                month=month,
                amount=amount,
                end=end,
            ),
            Message(
                "If it stays unpaid, the account will be suspended on {suspended} and stop serving ads.",
                suspended=ending.suspended_at.date(),
            ),
        ),
        (Message("How to pay"), url),
    )
