"""Billing's arithmetic: bills add up, flights split, months follow each other."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control.billing.invoicing.flat_rate import flight_of, split
from control.billing.invoicing.rules import InvoiceLine, bill_of, month_after, month_of
from control.billing.invoicing.schemas import LineKind
from control.billing.ledger.entries import EntryKind

MICROS = st.integers(-(10**12), 10**12)


@given(months=st.lists(st.tuples(MICROS, st.lists(MICROS, max_size=4)), min_size=1, max_size=12))
def test_invoices_bill_exactly_what_was_spent(
    months: list[tuple[int, list[int]]],
) -> None:
    opening = billed = owed = 0
    for adjusted, spent in months:
        moved = {EntryKind.ADJUSTMENT: adjusted, EntryKind.SPEND: -sum(spent)}
        lines = [InvoiceLine(LineKind.SPEND, "A", micros) for micros in spent]
        bill = bill_of(opening, billed, moved, lines, is_prepaid=False)
        owed += sum(spent) - adjusted
        assert sum(line.micros for line in bill.lines) == bill.total_micros
        billed += bill.amount_cents
        opening = bill.closing_micros
        assert opening == -owed
        assert bill.amount_cents == 0 or 0 <= owed - billed * 10_000 < 10_000


def test_lines_that_differ_from_the_ledger_are_an_error() -> None:
    with pytest.raises(RuntimeError, match="spent 5"):
        bill_of(
            0, 0, {EntryKind.SPEND: -5}, [InvoiceLine(LineKind.SPEND, "A", 4)], is_prepaid=False
        )


@given(st.datetimes(datetime(2020, 1, 1), datetime(2199, 12, 1)))  # noqa: DTZ001 - made aware below
def test_a_month_ends_where_the_next_begins(naive: datetime) -> None:
    instant = naive.replace(tzinfo=UTC)
    month = month_of(instant)

    assert month <= instant.date() < month_after(month)
    assert month_of(instant + timedelta(days=31)) in (
        month_after(month),
        month_after(month_after(month)),
    )


FLIGHTS = st.tuples(
    st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001 - made aware below
    st.timedeltas(timedelta(seconds=1), timedelta(days=400)),
    st.sampled_from(["UTC", "America/Sao_Paulo", "Pacific/Apia", "Europe/Berlin", "Asia/Kolkata"]),
)


@given(flight=FLIGHTS, bid=st.integers(1, 10**11))
def test_the_days_of_a_flight_come_to_the_bid(
    flight: tuple[datetime, timedelta, str], bid: int
) -> None:
    start, length, timezone = flight
    found = flight_of(start.replace(tzinfo=UTC), start.replace(tzinfo=UTC) + length, timezone)
    parts = [
        found.part_micros(bid, found.first + timedelta(days=number)) for number in range(found.days)
    ]

    assert sum(parts) == bid
    assert all(one == other for one, other in pairwise(parts[:-1]))


def test_a_flight_that_ends_at_midnight_does_not_touch_the_next_day() -> None:
    start = datetime(2026, 3, 1, 3, tzinfo=UTC)  # midnight in São Paulo
    found = flight_of(start, start + timedelta(days=3), "America/Sao_Paulo")

    assert (found.first, found.days) == (date(2026, 3, 1), 3)


@given(micros=st.integers(0, 10**12), ways=st.integers(1, 50))
def test_a_split_keeps_the_total(micros: int, ways: int) -> None:
    parts = split(micros, ways)

    assert (sum(parts), len(parts)) == (micros, ways)
