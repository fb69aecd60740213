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
        f"Without a renewal the account is suspended on {suspended}: it serves no ads then.\n"
        f"To go on, renew it. A term costs {ending.amount}:"
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
        f"The invoice of {ending.month} over {ending.amount} {'was' if is_over else 'is'} due on {end} and is not "
        f"paid yet.\nUnpaid, the account is suspended on {suspended}: it serves no ads then.\n"
        "How to pay:"
    )
    portuguese = (
        f"A fatura de {ending.month}, de {ending.amount}, {'venceu' if is_over else 'vence'} em {end} e ainda não "
        f"foi paga.\nSem pagamento, a conta será suspensa em {suspended}: nenhum anúncio será veiculado.\n"
        "Como pagar:"
    )
    subject = "An invoice is not paid / Uma fatura não foi paga"
    return Mail(to=to, subject=subject, text=_both(english, portuguese, url))


def _both(english: str, portuguese: str, url: str) -> str:
    return f"{english}\n{url}\n\n--\n\n{portuguese}\n{url}\n"


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")
