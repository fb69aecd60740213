"""
Unfilled requests by their reason, of the hours of a report. From hourly sums.

No operation offers this: a report has all unfilled requests together, because rollups do not hold the reason.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import text

from control.dashboard.page_request import PageRequest
from control.reporting.reports.vocabulary import NAMED, NOT_OF_DECISIONS, Dimension

_FILTERS = tuple(each for each in Dimension if each not in NOT_OF_DECISIONS)


async def read_no_fills(
    view: PageRequest, start: datetime, end: datetime, filters: Mapping[str, Sequence[str]]
) -> list[tuple[str, int]]:
    """
    Reasons and their requests from *start* to before *end*, most first. *filters*: of a report; the API has already
    checked their values.
    """
    environment = view.environment
    wanted = {
        each.column: [one.lower() if each is Dimension.COUNTRY else one for one in values]
        for each in _FILTERS
        if (values := filters.get(each.column))
    }
    types = {each.column: "uuid" if each in NAMED else "varchar" for each in _FILTERS}
    where = "".join(f" and {name} = any(cast(:{name} as {types[name]}[]))" for name in wanted)
    own = view.caller.property_id
    account_id = view.caller.account_id
    bound = {
        "account": account_id,
        "own": own,
        "is_test": environment is not None and environment.is_test,
        "start": start,
        "end": end,
        **wanted,
    }
    statement = text(
        "select outcome, sum(count) as requests from serve_hourly "  # noqa: S608 - names of columns only
        "where property_id in (select cast(id as uuid) from properties where account_id = :account "
        "and (cast(:own as varchar) is null or id = :own)) "
        f"and is_test = :is_test and hour >= :start and hour < :end and outcome <> 'fill'{where} "
        "group by outcome order by requests desc, outcome"
    )
    async with view.control.database.tenant(account_id) as session:
        rows = (await session.execute(statement, bound)).all()
    return [(row.outcome, int(row.requests)) for row in rows]
