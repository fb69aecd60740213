"""Fields that pydantic alone would read more kindly than the contract does."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from control.fields import Instant, Limit

INSTANT: TypeAdapter[Any] = TypeAdapter(Instant)
LIMIT: TypeAdapter[int] = TypeAdapter(Limit)


@pytest.mark.parametrize("value", ["1700000000", "1700000000.5", 1700000000, "12:00Z", "now"])
def test_only_a_date_with_its_time_is_an_instant(value: object) -> None:
    with pytest.raises(ValidationError):
        INSTANT.validate_python(value)


@pytest.mark.parametrize(
    "value", ["2026-03-01T00:00:00Z", "2026-03-01T02:00:00.000+02:00", "2026-02-28T21:00:00-0300"]
)
def test_an_instant_arrives_in_utc(value: str) -> None:
    assert INSTANT.validate_python(value).isoformat() == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "value", ["5.0", "1_0", " 5", "+5", "5 ", "１", "", "0", "101", "9" * 5000]
)
def test_a_limit_is_written_in_digits(value: str) -> None:
    with pytest.raises(ValidationError):
        LIMIT.validate_strings(value)


def test_a_limit_reaches_from_1_to_100() -> None:
    assert [LIMIT.validate_strings(text) for text in ("1", "100")] == [1, 100]
