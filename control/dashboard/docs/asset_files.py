"""Scripts and styles of the documentation, under addresses that name their content."""

import hashlib
from pathlib import Path
from typing import Final

_FOLDER = Path(__file__).parent / "assets"
_DIGEST_CHARS = 16


def _address(path: Path) -> str:
    """The digest of its content, and its name: changed content has another address."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGEST_CHARS]}.{path.name}"


ASSETS: Final = {_address(path): path for path in sorted(_FOLDER.iterdir())}
"""The files by the last part of their addresses."""
ASSET_PATHS: Final = {path.name: f"/docs/assets/{address}" for address, path in ASSETS.items()}
"""The addresses by the files' names."""
