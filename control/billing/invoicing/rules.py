"""Billing's rules, pure: months, an invoice's arithmetic and its life."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from common.values.money import MICROS_PER_CENT, cents_to_micros
from control.billing.invoicing.schemas import InvoiceStatus, LineKind
from control.billing.ledger.entries import EntryKind
from control.foundation.state_machine import Transitions

PAY, AGE, VOID = "pay", "age", "void"

TRANSITIONS = Transitions(
    "invoice",
    {
        (InvoiceStatus.OPEN, PAY): InvoiceStatus.PAID,
        (InvoiceStatus.OPEN, AGE): InvoiceStatus.PAST_DUE,
        (InvoiceStatus.OPEN, VOID): InvoiceStatus.VOID,
        (InvoiceStatus.PAST_DUE, PAY): InvoiceStatus.PAID,
        (InvoiceStatus.PAST_DUE, VOID): InvoiceStatus.VOID,
    },
)
"""open → past_due by its due date; either → paid or void. An invoice of nothing is born paid."""

_WORDS = {
    EntryKind.TOP_UP: (LineKind.TOP_UP, "Top-ups"),
    EntryKind.REFUND: (LineKind.REFUND, "Refunds"),
    EntryKind.ADJUSTMENT: (LineKind.ADJUSTMENT, "Adjustments"),
    EntryKind.SUBSCRIPTION: (LineKind.SUBSCRIPTION, "Subscription"),
}
SPENDING = frozenset({EntryKind.SPEND, EntryKind.FLAT_RATE})
WALLET_KINDS = frozenset({*_WORDS, *SPENDING})
"""What an invoice is about: every kind that moves a wallet, but for invoices themselves."""


@dataclass(frozen=True, slots=True)
class Line:
    """``micros``: what is owed for it; below zero is in the account's favour."""

    kind: LineKind
    description: str
    micros: int
    campaign_id: str | None = None
    unit: str | None = None
    units: int | None = None


@dataclass(frozen=True, slots=True)
class Bill:
    lines: tuple[Line, ...]
    total_micros: int
    amount_cents: int
    closing_micros: int


def bill_of(
    opening_micros: int, billed_cents: int, moved: Mapping[EntryKind, int], spend: Iterable[Line]
) -> Bill:
    """
    The month's bill. *opening_micros*: the wallet at its start, invoices left out; *billed_cents*: what earlier
    invoices asked for; *moved*: micros into the wallet by kind; *spend*: a line a campaign and unit.

    The lines add up to the total to the micro: ``carried`` is what earlier months left, in cents too small to ask
    for, in a voided invoice, or in the account's favour. The total is rounded down to cents once; the rest is carried.
    Raises `RuntimeError` where the lines of spend are not what the ledger moved.
    """
    lines = list(spend)
    spent = -sum(moved.get(kind, 0) for kind in SPENDING)
    if sum(line.micros for line in lines) != spent:
        raise RuntimeError(f"the ledger spent {spent}, the lines say otherwise")
    lines += [
        Line(kind, words, -moved[entry_kind])
        for entry_kind, (kind, words) in _WORDS.items()
        if moved.get(entry_kind)
    ]
    carried = -opening_micros - cents_to_micros(billed_cents)
    if carried:
        lines.insert(0, Line(LineKind.CARRIED, "Carried over from earlier months", carried))
    total = sum(line.micros for line in lines)
    closing = opening_micros + sum(moved.values())
    return Bill(tuple(lines), total, max(0, total // MICROS_PER_CENT), closing)


def month_of(instant: datetime) -> date:
    """The first day of its month, UTC."""
    return instant.astimezone(UTC).date().replace(day=1)


def month_after(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def start_of(month: date) -> datetime:
    return datetime.combine(month, time(), UTC)
