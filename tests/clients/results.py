"""What the tests found of each library for servers; `tests.clients.libraries` makes docs/libraries.md of it."""

from collections import defaultdict
from typing import Any

import orjson

from tests.clients.libraries import RESULTS, write_result

_LANGUAGES = {"python": "Python", "node": "JavaScript", "go": "Go", "php": "PHP"}


def record(
    library: str, *, cases: dict[str, str] | None = None, journey: str | None = None
) -> None:
    """*cases*: by file and name, ``run`` or why the case does not concern the library."""
    path = RESULTS / f"{library}.json"
    found: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    language = _LANGUAGES[library]
    result: dict[str, Any] = {
        "library": library,
        "language": language,
        "ran": f"{language} on Linux",
        "cases": found.get("cases", {}),
        "left_out": found.get("left_out", []),
        "journeys": found.get("journeys", []),
        "modules": [{"name": "library", "state": "run", "where": f"{language} on Linux"}],
        "measured": [],
    }
    if cases is not None:
        result |= _sorted_by_file(cases)
    if journey is not None:
        result["journeys"] = sorted({*result["journeys"], journey})
    write_result(result)


def _sorted_by_file(cases: dict[str, str]) -> dict[str, Any]:
    passed = defaultdict[str, list[str]](list)
    for name, how in cases.items():
        file, _, case = name.partition(": ")
        if how == "run":
            passed[file].append(case)
    cases_of = {file: sorted(found) for file, found in sorted(passed.items())}
    return {"cases": cases_of, "left_out": sorted({*cases.values()} - {"run"})}
