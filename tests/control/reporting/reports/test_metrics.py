"""Whatever must know a metric or a sum knows it: columns, migrations, translations. Needs no server."""

import re
from pathlib import Path

import pytest
from sqlalchemy import BigInteger

from control.foundation.languages import ENGLISH, LANGUAGES, translations_of
from control.reporting.reports.metrics import CountedEvents, Metric, Sum, Unit
from control.reporting.reports.vocabulary import Dimension
from control.storage.tables.reports import ReportSumRow

_KEYS = {"id", "account_id", "rollup", "is_test", "at", *(each.column for each in Dimension)}
_SAME = frozenset({"eCPM"})
"""Labels that are the same in every language."""
_VERSIONS = Path(__file__).parents[4] / "control" / "storage" / "migrations" / "versions"
_MIGRATIONS = [
    text for path in sorted(_VERSIONS.glob("*.py")) if "report_sums" in (text := path.read_text())
]


def test_rollups_have_a_column_for_each_sum() -> None:
    columns = {column.name for column in ReportSumRow.__table__.columns}  # type: ignore[attr-defined]

    assert columns - _KEYS == set(Sum)
    sums = [ReportSumRow.__table__.columns[name] for name in Sum]  # type: ignore[attr-defined]
    assert {(type(sum_.type), sum_.nullable) for sum_ in sums} == {(BigInteger, True)}


@pytest.mark.parametrize("name", Sum)
def test_a_migration_adds_the_column_of_each_sum_and_has_past_days_rolled_up_again(
    name: Sum,
) -> None:
    made = [text for text in _MIGRATIONS if re.search(rf"\b{name} bigint\b", text)]

    assert made, f"no migration says `alter table report_sums add column {name} bigint`"
    if "create table report_sums" not in made[0]:
        as_service, _, rest = made[0].partition("insert into report_late_days")
        marked, _, after = rest.partition('"')
        assert "_hourly" in marked
        assert re.search(r"set local role (?:\{SERVICE\}|placard_service)", as_service)
        assert "set local role placard_owner" in after
        if isinstance(name.of, CountedEvents):
            assert f"'{name.of.kind}'" in marked
        assert re.search(rf"drop[_ ]column\b.*\b{name}\b", made[0])


def test_each_sum_is_part_of_a_metric() -> None:
    assert set(Sum) == {one for metric in Metric for one in metric.sums}


@pytest.mark.parametrize("metric", Metric)
def test_a_formula_uses_each_of_its_sums(metric: Metric) -> None:
    """Sorting names each sum; computing takes as many."""
    names = [f"<{one}>" for one in metric.sums]

    assert [one for one in names if one in metric.formula.sort_sql.format(*names)] == names
    assert metric.without_events in (0, None)
    assert metric.without_events is None or metric.unit is not Unit.RATIO
    assert metric.endswith("_cents") is (metric.unit is Unit.CENTS)


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_labels_and_help_are_in_the_catalogues(language: str) -> None:
    known = translations_of(language)

    words = [text for one in Metric for text in (one.label, one.help_text)]
    missing = [text for text in words if known.gettext(text) == text]
    assert set(missing) - _SAME == set()
    assert len({one.label for one in Metric}) == len(Metric)
