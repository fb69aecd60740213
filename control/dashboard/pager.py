"""
Links from page to page of a list, and how many objects it has.

The API's cursors lead forwards only: the address keeps those of earlier pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from common.contract.operation import Operation
from control.api.listing import Counted, WantedRows
from control.dashboard.page_request import PageRequest

TRAIL = "trail"
"""The parameter with the cursors of earlier pages, the first page as `_START`."""
_START = "-"
_MAX_TRAIL = 20
"""Cursors that an address holds; further back, only the first page is offered."""


@dataclass(frozen=True, slots=True)
class Pager:
    """Addresses; "" where there is no such page. ``counted``: the objects of all pages."""

    next: str
    previous: str
    first: str
    counted: Counted


async def pager_of(
    view: PageRequest,
    listed: Operation,
    params: Mapping[str, Any],
    answer: Mapping[str, Any],
    wanted: WantedRows,
) -> Pager:
    """
    *params*: the parameters of the page's address, of which ``cursor`` is replaced. *answer*: a page of the API's
    operation *listed*. *wanted*: its rows, which are counted unless one page has them all.
    """
    here = view.query_param("cursor")
    trail = [one for one in view.query_param(TRAIL).split(",")[-_MAX_TRAIL:] if one]

    def address(cursor: str, before: list[str]) -> str:
        given = {**params, "cursor": cursor, TRAIL: ",".join(before[-_MAX_TRAIL:])}
        return view.url(view.screen.name, **view.path, **given)

    following = answer["next_cursor"] if answer["has_more"] else None
    last = trail[-1] if trail else ""
    return Pager(
        next=address(following, [*trail, here or _START]) if following else "",
        previous=address("" if last == _START else last, trail[:-1]) if here and last else "",
        first=address("", []) if here else "",
        counted=Counted(len(answer["data"]), has_more=False)
        if not here and not answer["has_more"]
        else await view.count(listed, wanted),
    )
