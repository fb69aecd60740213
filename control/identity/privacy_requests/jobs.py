"""Answers privacy requests: searches every place, and writes the result into the request."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import SealBroken
from control.api import audit
from control.api.context import ControlContext
from control.identity.privacy_requests.data_places import PERSONAL_DATA_STORES, PersonalDataStore
from control.identity.privacy_requests.earlier_exports import EarlierExports, empty_exports
from control.identity.privacy_requests.people import CapCounts, People
from control.identity.privacy_requests.queries import claim_pending, list_pending
from control.identity.privacy_requests.rules import open_uid
from control.identity.privacy_requests.schemas import Found, PrivacyKind, PrivacyStatus
from control.storage.tables.privacy_requests import PrivacyRequestRow

_log: structlog.stdlib.BoundLogger = structlog.get_logger("privacy")


async def answer_privacy_requests(control: ControlContext) -> None:
    await answer_all(control, places_of(control))


async def answer_all(control: ControlContext, places: Sequence[PersonalDataStore]) -> None:
    """
    Answer all open requests, oldest first, each in its own transaction. One that cannot be answered stays open and is
    logged, and the next ones are answered.

    Raises the first error of a search at the end, so that the job counts as failed. A request that cannot be unsealed
    is only logged, because trying again does not help.
    """
    failed: Exception | None = None
    async with control.database.service() as session:
        ids = await list_pending(session)
    for request_id in ids:
        try:
            await answer(control, places, request_id)
        except SealBroken:
            _log.exception("privacy_request_unreadable", request=request_id)
        except Exception as error:  # noqa: BLE001 - raised below
            _log.exception("privacy_request_failed", request=request_id)
            failed = failed or error
    if failed is not None:
        raise failed


async def sweep_privacy_requests(control: ControlContext) -> None:
    """Empty the data of exports that were answered longer ago than events are kept. Their counts stay."""
    kept = timedelta(days=control.settings.events_retention_days)
    async with control.database.service() as session:
        await empty_exports(session, before=control.clock.now() - kept)


def places_of(control: ControlContext) -> Sequence[PersonalDataStore]:
    """All places where a user's data could be: the database, Redis, and stores that cannot hold any."""
    return (
        *PERSONAL_DATA_STORES,
        People(control.keys),
        CapCounts(control.person_counts, control.keys),
        EarlierExports(control.keys),
    )


async def answer(
    control: ControlContext, places: Sequence[PersonalDataStore], request_id: str
) -> None:
    """
    Answer the request, unless it is done or another job holds it.

    Raises `SealBroken`, and what a place raises; nothing is changed then.
    """
    async with control.database.service() as session:
        row = await claim_pending(session, request_id)
        if row is None:
            return
        uid = open_uid(row, control.keys)
        found = [await _search_or_erase(session, place, row, uid) for place in places]
        _finish(session, row, found, control.clock.now())


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
