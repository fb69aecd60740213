"""What the documents name exists: paths, names in files, commands, links, and the headings that links lead to."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from control.__main__ import app
from control.operations.admin_cli.commands import app as admin
from deploy.standalone.child import ROOT

_SUFFIX = r"\.(?:py|c|h|md|json|txt|sh|toml|html|css|js|ts|po|svg|acl|lock)"
_PATH = re.compile(rf"`([\w.-]+(?:/[\w.-]+)*{_SUFFIX}|(?:[\w.-]+/){{2,}})`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_MADE_BY_A_RUN = {"demo.json", "edge-keys.json", "redis-users.json"}
_FIELDS = {"content.html"}


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


@cache
def tails() -> frozenset[str]:
    """Every tracked file and folder, by its whole path and by each end of it: `a/b.py` and `b.py`."""
    files = [Path(name) for name in tracked()]
    folders = {folder for file in files for folder in file.parents}
    ends = {"/".join(path.parts[n:]) for path in (*files, *folders) for n in range(len(path.parts))}
    return frozenset(ends)


def prose(text: str) -> str:
    """Without fenced blocks, which show commands and output."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page.read_text()), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def leads_somewhere(link: str, page: Path) -> bool:
    if re.match(r"[a-z]+:", link):
        return True
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("name", tracked("*.md"))
def test_every_path_and_link_of_a_page_exists(name: str) -> None:
    page = ROOT / name
    text = prose(page.read_text())
    known = tails() | _MADE_BY_A_RUN | _FIELDS

    assert [path for path in _PATH.findall(text) if path.rstrip("/") not in known] == []
    assert [link for link in _LINK.findall(text) if not leads_somewhere(link, page)] == []


_NAME_IN_FILE = re.compile(rf"((?:`[\w.]+`(?:, | and ))*`[\w.]+`) of `([\w./-]+{_SUFFIX})`")


def test_a_name_that_a_page_says_is_of_a_file_is_in_it() -> None:
    missing = []
    for page in tracked("*.md"):
        for names, path in _NAME_IN_FILE.findall(prose((ROOT / page).read_text())):
            sources = [(ROOT / one).read_text() for one in tracked(path, f"*/{path}")]
            words = {word for source in sources for word in re.findall(r"\w+", source)}
            wanted = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", names)}
            missing += [f"{page}: {one} of {path}" for one in sorted(wanted - words)]

    assert missing == []


def _commands_of(text: str) -> list[list[str]]:
    found = re.findall(r"(?:python -m control|`control)((?: (?![-A-Z…])[\w-]+)+)", text)
    return [words.split() for words in found]


def test_every_command_of_the_control_plane_exists() -> None:
    root: Any = get_command(app)
    root.commands["admin"] = get_command(admin)
    unknown = []
    for page in tracked("*.md"):
        for words in _commands_of((ROOT / page).read_text()):
            known = root
            for word in words:
                if not hasattr(known, "commands"):
                    break
                known = known.commands.get(word)
                if known is None:
                    unknown.append(f"{page}: {' '.join(words)}")
                    break

    assert unknown == []


def test_every_target_of_make_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z%-]+)(?= |:)", makefile, flags=re.MULTILINE))
    named = {
        (page, target)
        for page in tracked("*.md")
        for target in re.findall(
            r"(?:`|^)make ([a-z-]+)", (ROOT / page).read_text(), flags=re.MULTILINE
        )
    }
    patterns = tuple(one.rstrip("%") for one in targets if one.endswith("%"))

    assert {
        one for one in named if one[1] not in targets and not one[1].startswith(patterns)
    } == set()


def test_every_test_that_the_guide_names_exists() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    sources = {name: (ROOT / name).read_text() for name in tracked("tests/*.py")}
    functions = {name for text in sources.values() for name in re.findall(r"def (test_\w+)", text)}
    of_files = re.findall(r"(tests/[\w/]+\.py)(?:::(\w*))?", guide)

    assert [file for file, name in of_files if f"def {name}" not in sources.get(file, "")] == []
    assert {*re.findall(r"`(test_\w+)`", guide)} - functions == set()


def test_the_map_of_the_tests_has_every_folder_of_tests() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    map_of_tests = guide.partition("## Map of the tests\n")[2].partition("\n## ")[0]
    folders = {Path(name).parts[1] for name in tracked("tests/*/**")}

    assert [one for one in sorted(folders) if f"`tests/{one}/" not in map_of_tests] == []


def test_each_term_of_the_glossary_stands_once_in_alphabetical_order() -> None:
    terms = (ROOT / "docs" / "glossary.md").read_text().partition("\n## ")[0]
    rows = [row.split("|")[1].strip().lower() for row in terms.splitlines() if row[:2] == "| "]
    names = [name for row in rows[1:] for name in re.split(r"[,:] ?| / ", row)]

    assert rows[1:] == sorted(rows[1:])
    assert sorted(names) == sorted(set(names))
