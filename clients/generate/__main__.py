"""`python -m clients.generate`: writes the generated files of the server libraries, for `make libraries`."""

import json
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


def main() -> None:
    for path, text in generated():
        file = ROOT / path
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            print(f"Wrote {path}")


if __name__ == "__main__":
    main()
