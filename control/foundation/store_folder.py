"""The folder of exports, where their store is a folder of this machine that the API and the scheduler share."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]{0,8}")


def find_folder(store: str, state: Path) -> Path | None:
    """
    Returns None where the store is a bucket.

    *store* is ``PLACARD_EXPORTS_STORE``; where it is empty, the folder is ``exports`` in the state folder.
    """
    if not store:
        return state.absolute() / "exports"
    parts = urlsplit(store)
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
        return Path(unquote(parts.path))
    return None


def path_of(folder: Path, name: str) -> Path:
    """Returns the path of an export's file. Raises ValueError where *name* is not the name of an export."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of ours")
    return folder / name
