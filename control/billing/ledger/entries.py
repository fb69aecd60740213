"""
Entries of the ledger: the kinds of ledger account, the kinds of entry, and what each moves. Pure; every builder sums
to zero.

Sign: positive is money that we owe. A wallet of -5 means the account owes us 5; cash of -5 means that 5 came in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from common.values.money import cents_to_micros

SYSTEM = "system"
"""The actor of entries that jobs make."""


class LedgerKind(StrEnum):
    WALLET = "wallet"
    """Money that the account has paid in and not spent; below zero: spent and not invoiced yet."""
    RECEIVABLE = "receivable"
    """Invoiced and not paid: below zero."""
    REVENUE = "revenue"
    """The operator's part of spend."""
    PAYABLE = "payable"
    """A property's share of spend that is not paid out."""
    PAYOUT = "payout"
    """Payouts that were requested and are not paid yet."""
    ADJUSTMENTS = "adjustments"
    """The other side of an operator's corrections."""
    CASH = "cash"
    """Money outside the ledger: below zero is money that came in."""


class EntryKind(StrEnum):
    TOP_UP = "top_up"
    REFUND = "refund"
    SPEND = "spend"
    FLAT_RATE = "flat_rate"
    ADJUSTMENT = "adjustment"
    SUBSCRIPTION = "subscription"
    INVOICE = "invoice"
    VOID = "void"
    PAYMENT = "payment"
    PAYOUT = "payout"
    PAYOUT_PAID = "payout_paid"
    PAYOUT_FAILED = "payout_failed"


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    kind: LedgerKind
    property_id: str | None = None


WALLET = LedgerAccount(LedgerKind.WALLET)
RECEIVABLE = LedgerAccount(LedgerKind.RECEIVABLE)
REVENUE = LedgerAccount(LedgerKind.REVENUE)
PAYOUT = LedgerAccount(LedgerKind.PAYOUT)
ADJUSTMENTS = LedgerAccount(LedgerKind.ADJUSTMENTS)
CASH = LedgerAccount(LedgerKind.CASH)


def payable(property_id: str) -> LedgerAccount:
    return LedgerAccount(LedgerKind.PAYABLE, property_id)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """
    ``reference`` is unique in the account: posting it twice makes one entry.
    ``postings``: nonzero micros by account.
    """

    kind: EntryKind
    reference: str
    actor: str
    postings: Mapping[LedgerAccount, int]
    memo: str | None = None


def move(
    kind: EntryKind,
    reference: str,
    actor: str,
    *,
    out_of: LedgerAccount,
    into: LedgerAccount,
    cents: int,
) -> LedgerEntry:
    """Move *cents* (not zero) from one ledger account to another."""
    micros = cents_to_micros(cents)
    return LedgerEntry(kind, reference, actor, {out_of: -micros, into: micros})


def top_up(top_up_id: str, cents: int, actor: str) -> LedgerEntry:
    reference = f"top_up:{top_up_id}"
    return move(EntryKind.TOP_UP, reference, actor, out_of=CASH, into=WALLET, cents=cents)


def refund(reference: str, cents: int, actor: str) -> LedgerEntry:
    reference = f"refund:{reference}"
    return move(EntryKind.REFUND, reference, actor, out_of=WALLET, into=CASH, cents=cents)


def adjustment(reference: str, cents: int, actor: str) -> LedgerEntry:
    """*cents* may be negative, which takes money out of the wallet."""
    reference = f"adjustment:{reference}"
    return move(
        EntryKind.ADJUSTMENT, reference, actor, out_of=ADJUSTMENTS, into=WALLET, cents=cents
    )


def subscription(term_start: str, cents: int) -> LedgerEntry:
    """The price of the term that begins at *term_start*, as text."""
    reference = f"subscription:{term_start}"
    return move(EntryKind.SUBSCRIPTION, reference, SYSTEM, out_of=WALLET, into=REVENUE, cents=cents)


def invoice(invoice_id: str, cents: int) -> LedgerEntry:
    reference = f"invoice:{invoice_id}"
    return move(EntryKind.INVOICE, reference, SYSTEM, out_of=RECEIVABLE, into=WALLET, cents=cents)


def void(invoice_id: str, cents: int, actor: str) -> LedgerEntry:
    reference = f"void:{invoice_id}"
    return move(EntryKind.VOID, reference, actor, out_of=WALLET, into=RECEIVABLE, cents=cents)


def payment(invoice_id: str, cents: int, actor: str) -> LedgerEntry:
    reference = f"payment:{invoice_id}"
    return move(EntryKind.PAYMENT, reference, actor, out_of=CASH, into=RECEIVABLE, cents=cents)


def payout(payout_id: str, property_id: str, cents: int, actor: str) -> LedgerEntry:
    reference, ledger_account = f"payout:{payout_id}", payable(property_id)
    return move(EntryKind.PAYOUT, reference, actor, out_of=ledger_account, into=PAYOUT, cents=cents)


def payout_paid(payout_id: str, cents: int, actor: str) -> LedgerEntry:
    reference = f"payout_paid:{payout_id}"
    return move(EntryKind.PAYOUT_PAID, reference, actor, out_of=PAYOUT, into=CASH, cents=cents)


def payout_failed(payout_id: str, property_id: str, cents: int, actor: str) -> LedgerEntry:
    reference, ledger_account = f"payout_failed:{payout_id}", payable(property_id)
    return move(
        EntryKind.PAYOUT_FAILED, reference, actor, out_of=PAYOUT, into=ledger_account, cents=cents
    )


def share(micros: int, percent: int, remainder: int) -> tuple[int, int]:
    """
    Returns a property's whole micros of *micros*, and the hundredths (0..99) that remain for the next spend.

    However spend is split, the shares of a fixed percentage sum to ``floor(total * percent / 100)``. Fractions of a
    micro stay with the operator until they make a whole one. Negative spend takes the share back.
    """
    return divmod(micros * percent + remainder, 100)


def spend(
    kind: EntryKind, reference: str, spent: Mapping[str, int], shares: Mapping[str, int]
) -> LedgerEntry | None:
    """*spent*, *shares*: micros by property. Returns None if nothing moves."""
    total = sum(spent.values())
    revenue = total - sum(shares.values())
    postings = {WALLET: -total, REVENUE: revenue}
    postings |= {payable(property_id): micros for property_id, micros in shares.items()}
    moved = {ledger_account: micros for ledger_account, micros in postings.items() if micros}
    return LedgerEntry(kind, reference, SYSTEM, moved) if moved else None
