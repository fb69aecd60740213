"""
docs/libraries.md: what each client library was put through, and where. The tests of a library write its results to
``clients/contract/results/NAME.json``; this renders them. ``python -m tests.clients.libraries`` writes the page.

A result: ``library`` and ``language``; ``ran``, where the cases ran; ``cases``, by file the names of those that passed;
``journeys``, the names of those that passed before a real edge; ``modules``, what was run, compiled or parsed of the
library; ``measured``, figures with the command that gives them; ``left_out``, why other cases do not concern it.
"""

from pathlib import Path
from typing import Any

import orjson

from tests.clients.cases import CASE_FILES, FOLDER, cases
from tests.clients.publisher import ROOT

PAGE = ROOT / "docs" / "libraries.md"
RESULTS = FOLDER / "results"
JOURNEYS = (
    *("fill", "no fill", "click", "consent refused"),
    *("offline, then online", "kill switch", "rotated key", "bad slot"),
)
_BEGIN = "<!-- results: written by `python -m tests.clients.libraries` -->\n"
_END = "<!-- end of results -->\n"
_HEAD = """## What was tested

From the results that each library's own tests record in `clients/contract/results/`.

- **Run**: its tests ran. **Compiled**: compilers accept it, and nothing ran.
- **Parsed**: it has no syntax error, and no more is known.
- A library that does not show ads itself runs no cases of views, and one of apps or pages none of servers.
"""


def write_result(result: dict[str, Any]) -> None:
    """Replaces the result of ``result["library"]``, except figures of other commands, and the page."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{result['library']}.json"
    before = orjson.loads(path.read_bytes())["measured"] if path.exists() else []
    commands = {figure["command"] for figure in result["measured"]}
    kept = [figure for figure in before if figure["command"] not in commands]
    figures = sorted([*kept, *result["measured"]], key=lambda one: str(one["command"]))
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    path.write_bytes(orjson.dumps({**result, "measured": figures}, option=options))
    PAGE.write_text(rewritten(PAGE.read_text()))


def rewritten(page: str) -> str:
    """*page*, with the results between its two marks."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{render()}\n{_END}{after}"


def render() -> str:
    """The tables as the recorded results and the present cases have them."""
    results = [orjson.loads(path.read_bytes()) for path in sorted(RESULTS.glob("*.json"))]
    known = {file: [case["name"] for case in cases(file)] for file in CASE_FILES}
    return "\n".join(
        [
            _HEAD,
            "### Conformance cases",
            "",
            "Cases that passed, of those that there are.",
            "",
            *_table(["library", "ran", *CASE_FILES], [_cases_row(one, known) for one in results]),
            *_left_out(results),
            "",
            "### Journeys before a real edge",
            "",
            *_table(["library", *JOURNEYS], [_journeys_row(one) for one in results]),
            "",
            "### Parts",
            "",
            *_table(
                ["library", "part", "state", "where"],
                [
                    [one["library"], part["name"], part["state"], part["where"]]
                    for one in results
                    for part in one["modules"]
                ],
            ),
            "",
            "### Measured",
            "",
            *_table(
                ["library", "what", "figure", "limit", "command"],
                [
                    [
                        one["library"],
                        figure["what"],
                        figure["figure"],
                        figure["limit"],
                        f"`{figure['command']}`",
                    ]
                    for one in results
                    for figure in one["measured"]
                ],
            ),
            "",
        ]
    )


def _left_out(results: list[dict[str, Any]]) -> list[str]:
    """Why cases were left out, with the libraries that each reason concerns."""
    libraries: dict[str, list[str]] = {}
    for one in results:
        for reason in one.get("left_out", []):
            libraries.setdefault(reason, []).append(one["library"])
    lines = [f"- {reason} ({', '.join(names)})" for reason, names in sorted(libraries.items())]
    return ["", "Left out:", "", *lines] if lines else []


def _cases_row(result: dict[str, Any], known: dict[str, list[str]]) -> list[str]:
    row = [f"{result['library']} ({result['language']})", result["ran"]]
    for file, names in known.items():
        passed = result["cases"].get(file)
        row.append("–" if passed is None else f"{len(set(names) & set(passed))} of {len(names)}")
    return row


def _journeys_row(result: dict[str, Any]) -> list[str]:
    return [result["library"], *("yes" if name in result["journeys"] else "–" for name in JOURNEYS)]


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def write_page(page: Path = PAGE) -> None:
    page.write_text(rewritten(page.read_text()))


if __name__ == "__main__":
    write_page()
