"""Mails that warn owners before a suspension, in English and Portuguese: a job has no user language to choose by."""

from dataclasses import dataclass
from datetime import datetime

from control.ports.mail import Mail


@dataclass(frozen=True, slots=True)
class Ending:
    """``amount``: like ``49.00 EUR``; the invoice's amount, or the price of a subscription's term."""

    end_at: datetime
    suspended_at: datetime
    amount: str
    month: str = ""
    """The month of the invoice, like ``2026-03``; empty for a subscription."""


def subscription_mail(to: str, ending: Ending, url: str, now: datetime) -> Mail:
    is_over = ending.end_at <= now
    end, suspended = _day(ending.end_at), _day(ending.suspended_at)
    english = (
        f"Your Placard subscription {'ended' if is_over else 'ends'} on {end}.\n"
        f"If it is not renewed, the account will be suspended on {suspended} and stop serving ads.\n"
        f"To continue, renew it here. A term costs {ending.amount}:"
    )
    portuguese = (
        f"Sua assinatura do Placard {'terminou' if is_over else 'termina'} em {end}.\n"
        f"Sem renovação, a conta será suspensa em {suspended}: nenhum anúncio será veiculado.\n"
        f"Para continuar, renove-a. Um período custa {ending.amount}:"
    )
    subject = "Your subscription ends / Sua assinatura termina"
    return Mail(to=to, subject=subject, text=_both(english, portuguese, url))


def invoice_mail(to: str, ending: Ending, url: str, now: datetime) -> Mail:
    is_over = ending.end_at <= now
    end, suspended = _day(ending.end_at), _day(ending.suspended_at)
    english = (
        f"The invoice for {ending.month} of {ending.amount} {'was' if is_over else 'is'} due on {end} and has not "
        f"been paid.\nIf it stays unpaid, the account will be suspended on {suspended} and stop serving ads.\n"
        "How to pay:"
    )
    portuguese = (
        f"A fatura de {ending.month}, de {ending.amount}, {'venceu' if is_over else 'vence'} em {end} e ainda não "
        f"foi paga.\nSem pagamento, a conta será suspensa em {suspended}: nenhum anúncio será veiculado.\n"
        "Como pagar:"
    )
    subject = "Unpaid invoice / Fatura não paga"
    return Mail(to=to, subject=subject, text=_both(english, portuguese, url))


def _both(english: str, portuguese: str, url: str) -> str:
    return f"{english}\n{url}\n\n--\n\n{portuguese}\n{url}\n"


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")
