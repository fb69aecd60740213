"""docs/libraries.md follows from the results that the libraries' tests record."""

from pathlib import Path

from tests.clients.libraries import PAGE, rewritten, write_page


def test_a_page_changed_by_hand_is_written_anew(tmp_path: Path) -> None:
    page, changed = tmp_path / "libraries.md", PAGE.read_text().replace(" of ", " of all ")
    page.write_text(changed)
    write_page(page)

    text = page.read_text()
    assert text == rewritten(text) != changed
