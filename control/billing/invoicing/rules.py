"""The rules of billing, pure: months, the arithmetic of an invoice, and its status transitions."""

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
"""open → past_due at the due date; either → paid or void. An invoice of zero is created as paid."""

_WORDS = {
    EntryKind.TOP_UP: (LineKind.TOP_UP, "Top-ups"),
    EntryKind.REFUND: (LineKind.REFUND, "Refunds"),
    EntryKind.ADJUSTMENT: (LineKind.ADJUSTMENT, "Adjustments"),
    EntryKind.SUBSCRIPTION: (LineKind.SUBSCRIPTION, "Subscription"),
}
SPENDING = frozenset({EntryKind.SPEND, EntryKind.FLAT_RATE})
WALLET_KINDS = frozenset({*_WORDS, *SPENDING})
"""The kinds that appear on an invoice: every kind that moves a wallet, except invoices themselves."""


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """``micros``: the amount owed; below zero is in the account's favour."""

    kind: LineKind
    description: str
    micros: int
    campaign_id: str | None = None
    unit: str | None = None
    units: int | None = None


@dataclass(frozen=True, slots=True)
class Bill:
    lines: tuple[InvoiceLine, ...]
    total_micros: int
    amount_cents: int
    closing_micros: int


def bill_of(
    opening_micros: int,
    billed_cents: int,
    moved: Mapping[EntryKind, int],
    spend: Iterable[InvoiceLine],
    *,
    is_prepaid: bool,
) -> Bill:
    """
    The month's bill. *opening_micros*: the wallet's balance at the start, without invoices; *billed_cents*: the sum of
    earlier invoices; *moved*: micros into the wallet by kind; *spend*: one line per campaign and unit.
    *is_prepaid*: whether the account pays from its wallet (`due_cents`).

    The lines sum to the total exactly. The ``carried`` line holds the rest of earlier months: fractions of a cent,
    voided invoices, a credit, or what a prepaid wallet lacked. The total is rounded down to cents once; the rest is
    carried.
    Raises `RuntimeError` if the spend lines do not match what the ledger moved.
    """
    lines = list(spend)
    spent = -sum(moved.get(kind, 0) for kind in SPENDING)
    if sum(line.micros for line in lines) != spent:
        raise RuntimeError(f"the ledger spent {spent}, the lines say otherwise")
    lines += [
        InvoiceLine(kind, words, -moved[entry_kind])
        for entry_kind, (kind, words) in _WORDS.items()
        if moved.get(entry_kind)
    ]
    carried = -opening_micros - cents_to_micros(billed_cents)
    if carried:
        lines.insert(0, InvoiceLine(LineKind.CARRIED, "Carried over from earlier months", carried))
    total = sum(line.micros for line in lines)
    closing = opening_micros + sum(moved.values())
    return Bill(tuple(lines), total, due_cents(total, is_prepaid=is_prepaid), closing)


def due_cents(total_micros: int, *, is_prepaid: bool) -> int:
    """
    The amount that an invoice of *total_micros* is for: whole cents, never negative.

    0 for a prepaid account: a wallet below zero keeps its campaigns from delivering until the next top-up settles it.
    """
    return 0 if is_prepaid else max(0, total_micros // MICROS_PER_CENT)


def month_of(instant: datetime) -> date:
    """The first day of the instant's month, UTC."""
    return instant.astimezone(UTC).date().replace(day=1)


def month_after(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def start_of(month: date) -> datetime:
    return datetime.combine(month, time(), UTC)


@dataclass(frozen=True, slots=True)
class SubscriptionPlan:
    """A plan on offer. Today there is one: the account pays only for what is delivered."""

    id: str
    name: str


STANDARD = SubscriptionPlan("standard", "Standard")
PLANS = {plan.id: plan for plan in (STANDARD,)}
