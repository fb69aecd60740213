"""Answers privacy requests: searches every place, and writes the result into the request."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import SealBroken
from control.api import audit
from control.api.context import ControlContext
from control.identity.privacy_requests.data_places import PERSONAL_DATA_STORES, PersonalDataStore
from control.identity.privacy_requests.earlier_exports import EarlierExports
from control.identity.privacy_requests.people import CapCounts, People
from control.identity.privacy_requests.queries import claim_pending
from control.identity.privacy_requests.rules import open_uid
from control.identity.privacy_requests.schemas import Found, PrivacyKind, PrivacyStatus
from control.storage.tables.privacy_requests import PrivacyRequestRow

_log: structlog.stdlib.BoundLogger = structlog.get_logger("privacy")


async def answer_privacy_requests(control: ControlContext) -> None:
    """
    Answer all open requests, oldest first, each in its own transaction. One that cannot be unsealed stays and is
    logged.
    """
    after = ""
    places = places_of(control)
    while (answered := await answer_next(control, places, after)) is not None:
        after = answered


def places_of(control: ControlContext) -> Sequence[PersonalDataStore]:
    """All places where a user's data could be: the database, Redis, and stores that cannot hold any."""
    return (
        *PERSONAL_DATA_STORES,
        People(control.keys),
        CapCounts(control.person_counts, control.keys),
        EarlierExports(control.keys),
    )


async def answer_next(
    control: ControlContext, places: Sequence[PersonalDataStore], after: str = ""
) -> str | None:
    """
    Answer the oldest open request after the id *after*, and return its id; None if there is none.
    Raises what a place raises; nothing is changed then.
    """
    async with control.database.service() as session:
        row = await claim_pending(session, after)
        if row is None:
            return None
        try:
            uid = open_uid(row, control.keys)
        except SealBroken:
            _log.exception("privacy_request_sealed", request=row.id)
            return row.id
        found = [await _search_or_erase(session, place, row, uid) for place in places]
        _finish(session, row, found, control.clock.now())
        return row.id


async def _search_or_erase(
    session: AsyncSession, place: PersonalDataStore, row: PrivacyRequestRow, uid: str
) -> Found:
    search = await place.find(session, row.account_id, uid)
    erases = row.kind == PrivacyKind.ERASE
    return Found(
        place=place.name,
        searched=search.searched,
        found=len(search.records),
        erased=await place.erase(session, row.account_id, uid) if erases else 0,
        data=[] if erases else search.records,
    )


def _finish(
    session: AsyncSession, row: PrivacyRequestRow, found: Sequence[Found], now: datetime
) -> None:
    row.found = [place.model_dump(mode="json") for place in found]
    row.status = PrivacyStatus.DONE.value
    row.sealed_uid = None
    row.done_at = now
    detail = {
        "found": sum(place.found for place in found),
        "erased": sum(place.erased for place in found),
    }
    audit.record_job(
        session, row.account_id, "privacy_request.done", row.id, now=now, detail=detail
    )
