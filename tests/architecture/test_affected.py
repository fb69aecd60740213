"""`make test-for` begins with the tests that a change is most likely to fail."""

import pytest

from tests.affected import touched_tests


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param(
            "common/decision/rules/targeting.py",
            "tests/common/decision/test_index_against_specification.py",
            id="rule",
        ),
        pytest.param(
            "edge/fastpath/serve_cache/rank.c",
            "tests/edge/fastpath/test_serve_cache.py",
            id="C",
        ),
        pytest.param(
            "edge/fastpath/serve_cache/cache.h",
            "tests/edge/fastpath/test_serve_cache.py",
            id="header of C",
        ),
        pytest.param(
            "control/dashboard/locales/pt_BR/campaigns.po",
            "tests/control/dashboard/test_campaign_pages.py",
            id="words",
        ),
        pytest.param(
            "control/dashboard/templates/campaigns/form.html",
            "tests/control/dashboard/test_campaign_pages.py",
            id="template",
        ),
        pytest.param(
            "control/events/ingest/store_factory.py",
            "tests/control/events/ingest/test_consumer.py",
            id="folder",
        ),
        pytest.param("docs/openapi.json", "tests/contract/test_description.py", id="description"),
        pytest.param("tests/e2e/test_loop.py", "tests/e2e/test_loop.py", id="test"),
        pytest.param(
            "tests/control/billing/ledger/conftest.py",
            "tests/control/billing/ledger/test_books.py",
            id="conftest",
        ),
    ],
)
def test_a_change_touches_the_tests_that_hold_it(changed: str, expected: str) -> None:
    assert expected in touched_tests([changed])


def test_changed_tests_and_their_folders_come_first() -> None:
    rule = "common/decision/rules/targeting.py"
    own = "tests/edge/spool/test_spool.py"

    files = touched_tests([rule, own])

    assert files[0] == own
    assert all(name.startswith("tests/common/decision/") for name in files[1:6])


def test_whole_stacks_are_left_to_ci() -> None:
    files = touched_tests(["common/values/ids.py"])

    assert files
    assert not any(name.startswith(("tests/e2e/", "tests/faults/")) for name in files)


def test_tests_that_mention_what_a_template_is_about_come_first() -> None:
    files = touched_tests(["control/dashboard/templates/slots/slot.html"])

    assert files[0] == "tests/control/dashboard/test_properties.py"
