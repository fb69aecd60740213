"""The calculator of `docs/capacity.md`: figures follow from measured costs, and name what measured them."""

import re
from dataclasses import replace

import orjson
import pytest

from deploy.standalone.child import ROOT
from loadtests.capacity import COSTS, Load, main, plan


def test_a_plan_follows_the_load() -> None:
    small, large = (plan(Load(requests_per_s=rate)) for rate in (100_000.0, 200_000.0))
    assert large.edge_cores == pytest.approx(2 * small.edge_cores)
    assert large.log_disk_gb == pytest.approx(2 * small.log_disk_gb)
    assert large.usd_month > small.usd_month


def test_a_small_load_has_one_database_and_two_edge_machines() -> None:
    found = plan(Load(requests_per_s=100.0))
    assert (found.databases, found.edge_machines, found.partitions) == (1, 2, 4)


def test_more_events_than_one_database_stores_divide_the_accounts() -> None:
    load = Load(requests_per_s=1_000_000.0)
    found = plan(load)
    each = found.events_per_s / found.databases
    assert found.databases > 1
    assert each <= COSTS["one_postgresql"].value * load.utilisation


def test_requests_without_events_need_edges_alone() -> None:
    found = plan(replace(Load(), fill=0.0))
    assert found.events_per_s == found.ingest_cores == found.database_disk_gb == 0
    assert found.edge_cores > 0


def test_the_command_prints_the_plan_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--requests-per-s", "1000000", "--json"]) == 0
    printed = orjson.loads(capsys.readouterr().out)
    assert printed["load"]["requests_per_s"] == 1_000_000
    assert printed["plan"]["usd_month"] > 0


@pytest.mark.parametrize("wrong", [["--requests-per-s", "0"], ["--fill", "-1"]])
def test_a_load_that_cannot_be_is_refused(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(wrong)
    assert wrong[0] in capsys.readouterr().err


def test_the_page_states_each_cost_with_its_command() -> None:
    page = (ROOT / "docs" / "capacity.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.,]+) .*$", page, flags=re.MULTILINE))
    assert {name: float(value.replace(",", "")) for name, value in rows.items()} == {
        name: cost.value for name, cost in COSTS.items()
    }
    assert all(f"`{cost.command}`" in page for cost in COSTS.values())
