"""docs/libraries.md follows from the results that the libraries' tests record."""

from pathlib import Path

from tests.clients import libraries


def test_the_page_is_what_the_results_say() -> None:
    assert libraries.main(["--check"]) == 0


def test_a_page_changed_by_hand_is_noticed_and_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "libraries.md"
    page.write_text(libraries.PAGE.read_text().replace(" of ", " of all "))

    assert libraries.main(["--check"], page) == 1
    assert libraries.main([], page) == 0
    assert libraries.main(["--check"], page) == 0
