"""
The Public Suffix List: names under which anybody may register a domain (``co.uk``, ``github.io``).

It is a dated release of the package `publicsuffixlist`, pinned by the lock file, or an operator's file in that format.
"""

from functools import lru_cache
from pathlib import Path

from publicsuffixlist import PublicSuffixList


class SuffixListInvalid(Exception):
    """The operator's file has no rules; the message names the file."""


class _Chosen:
    """The list of this process. ``file``: the operator's file, or None for the package's list."""

    file: Path | None = None


def use_suffix_list(file: Path | None) -> None:
    """Reads *file*. Call it before the first look-up. Raises OSError and `SuffixListInvalid`."""
    _Chosen.file = file
    _suffixes.cache_clear()
    if file is not None and _suffixes().publicsuffix("example.com", accept_unknown=False) is None:
        raise SuffixListInvalid(
            f"{file} is no list of public suffixes: it has no rule for com. "
            "Take the file from https://publicsuffix.org/list/."
        )


def registrable_domain(host: str) -> str:
    """
    Returns the registered domain of *host*, private suffixes included: ``example.co.uk`` for ``shop.example.co.uk``,
    ``me.github.io`` for itself. A public suffix is returned unchanged.

    *host* is as `common.contract.hostnames.parse_public_host` returns it.
    """
    return _suffixes().privatesuffix(host) or host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """Takes some 30 ms, once a process."""
    if _Chosen.file is None:
        return PublicSuffixList()
    with _Chosen.file.open("rb") as lines:
        return PublicSuffixList(lines)
