"""
`python -m clients.generate`: writes the generated files of the server libraries. `--check` writes nothing, and fails if
one of them is stale.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from clients.generate import go, node, php, python
from clients.generate.description import read

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (python, node, go, php)


def generated() -> Iterator[tuple[Path, str]]:
    """Each file, relative to the root, with its text."""
    description = read(json.loads((ROOT / "docs" / "openapi.json").read_bytes()))
    for library in LIBRARIES:
        yield from library.files(description, ROOT)


def main(arguments: list[str]) -> int:
    stale = [
        (path, text)
        for path, text in generated()
        if not (ROOT / path).exists() or (ROOT / path).read_text() != text
    ]
    if arguments == ["--check"]:
        for path, _ in stale:
            print(f"{path} is stale. Run `python -m clients.generate`.")
        return 1 if stale else 0
    if arguments:
        print(f"Unknown arguments: {' '.join(arguments)}. There is only --check.")
        return 2
    for path, text in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
        print(f"Wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
