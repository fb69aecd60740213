"""Where exports lie when their store is a folder of this machine, shared by the API and the scheduler."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]{0,8}")


def find_folder(store: str, state: Path) -> Path | None:
    """
    None where the store is a bucket. *store* is ``PLACARD_EXPORTS_STORE``; empty means ``exports`` in the state's
    folder.
    """
    if not store:
        return state.absolute() / "exports"
    parts = urlsplit(store)
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
        return Path(unquote(parts.path))
    return None


def path_of(folder: Path, name: str) -> Path:
    """Raises ValueError for what is no name of ours."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of ours")
    return folder / name
