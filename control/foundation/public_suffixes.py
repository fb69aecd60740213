"""
The Public Suffix List: behind which names anybody may register one (``co.uk``, ``github.io``).

The list is a dated release of the package `publicsuffixlist`, pinned by the lock, or an operator's file in its form.
"""

from functools import lru_cache
from pathlib import Path

from publicsuffixlist import PublicSuffixList


class SuffixListInvalid(Exception):
    """The operator's file has no rule in it; the message names the file."""


class _Chosen:
    """Of this process. ``file``: the operator's; None: the package's own."""

    file: Path | None = None


def use_suffix_list(file: Path | None) -> None:
    """Before the first look-up. Reads *file*; raises OSError and `SuffixListInvalid`."""
    _Chosen.file = file
    _suffixes.cache_clear()
    if file is not None and _suffixes().publicsuffix("example.com", accept_unknown=False) is None:
        raise SuffixListInvalid(
            f"{file} is no list of public suffixes: it has no rule for com. "
            "Take the file from https://publicsuffix.org/list/."
        )


def registrable_domain(host: str) -> str:
    """
    The name somebody registered, private suffixes included: ``shop.example.co.uk`` is of ``example.co.uk``,
    ``me.github.io`` of itself. A public suffix is its own. *host*: as `control.foundation.hostnames.parse_public_host`
    gives it.
    """
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """Some 30 ms, once a process."""
    if _Chosen.file is None:
        return PublicSuffixList()
    with _Chosen.file.open("rb") as lines:
        return PublicSuffixList(lines)
