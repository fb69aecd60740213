"""The list of decisions names every page, by its number and title."""

import re

from deploy.standalone.child import ROOT

_FOLDER = ROOT / "docs/adr"


def test_every_decision_stands_in_the_list_with_its_number_and_title() -> None:
    titles = {}
    for path in sorted(_FOLDER.glob("0*.md")):
        number, _, title = path.read_text().splitlines()[0].removeprefix("# ").partition(". ")
        assert int(path.name[:4]) == int(number), path.name
        titles[int(number)] = (title, path.name)

    rows = re.findall(
        r"^\| (\d+) \| \[(.+)\]\((.+)\) \| .+ \|$",
        (_FOLDER / "README.md").read_text(),
        flags=re.MULTILINE,
    )

    assert [(int(number), (title, name)) for number, title, name in rows] == list(titles.items())
