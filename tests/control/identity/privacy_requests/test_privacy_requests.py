"""Answering a person's request about their data."""

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.event import CounterRecord, EventRecord, RequestFacts
from common.values.errors import Unavailable
from common.values.messages import Message
from control.identity.privacy_requests.data_places import Search, Tables
from control.identity.privacy_requests.jobs import (
    answer_all,
    answer_privacy_requests,
    places_of,
    sweep_privacy_requests,
)
from control.operations.scheduler.schedule import JOBS
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer, params_of

UID = "reader-4711-hopefully-nowhere"


class Shelf:
    """A place that holds what it was given."""

    name = "shelf"

    def __init__(self, *uids: str, is_away: bool = False, fails_for: str = "") -> None:
        self.uids = list(uids)
        self.is_away = is_away
        self.fails_for = fails_for

    async def find(self, session: AsyncSession, account_id: str, uid: str) -> Search:
        del account_id
        if self.is_away:
            raise Unavailable(Message("The shelf is away."))
        if uid == self.fails_for:
            await session.execute(text("select 1 / 0"))
        return Search("every book on the shelf", [{"uid": one} for one in self.uids if one == uid])

    async def erase(self, session: AsyncSession, account_id: str, uid: str) -> int:
        del session, account_id
        before = len(self.uids)
        self.uids = [one for one in self.uids if one != uid]
        return before - len(self.uids)


async def _ask(api: ControlApi, owner: Person, kind: str, uid: str = UID) -> dict[str, object]:
    answer = await Customer(api, owner).post("/v1/privacy/requests", {"uid": uid, "kind": kind})
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"/v1/privacy/requests/{answer.json()['id']}"
    found: dict[str, object] = answer.json()
    return found


async def _read(api: ControlApi, owner: Person, request_id: object) -> dict[str, Any]:
    answer = await Customer(api, owner).get(f"/v1/privacy/requests/{request_id}")
    found: dict[str, Any] = answer.json()
    return found


async def test_a_request_is_due_in_thirty_days(api: ControlApi, owner: Person) -> None:
    requested = await _ask(api, owner, "erase")
    made, due = (datetime.fromisoformat(str(requested[name])) for name in ("created_at", "due_at"))

    assert due - made == timedelta(days=30)
    assert (requested["status"], requested["found"], requested["done_at"]) == ("pending", [], None)


async def test_the_job_reports_each_searched_place(api: ControlApi, owner: Person) -> None:
    requested = await _ask(api, owner, "export")
    await answer_privacy_requests(api.control)
    answered = await _read(api, owner, requested["id"])

    assert answered["status"] == "done"
    found = answered["found"]
    assert isinstance(found, list)
    assert [place["place"] for place in found] == [place.name for place in places_of(api.control)]
    assert all(place["searched"] and place["found"] == 0 for place in found)


async def test_the_uid_is_kept_until_then_only(api: ControlApi, owner: Person) -> None:
    requested = await _ask(api, owner, "erase")
    query = text("select sealed_uid from privacy_requests where id = :id")
    async with api.control.database.service() as session:
        before = await session.scalar(query, {"id": requested["id"]})
    await answer_privacy_requests(api.control)
    async with api.control.database.service() as session:
        after = await session.scalar(query, {"id": requested["id"]})
        everything = await session.scalar(
            text("select string_agg(row(p)::text, ' ') from privacy_requests p")
        )
        audited = await session.scalar(
            text("select string_agg(row(a)::text, ' ') from audit_log a")
        )

    assert before is not None
    assert after is None
    assert UID not in str(everything)
    assert UID not in str(audited)


async def test_erasing_empties_a_place_and_export_shows_it(api: ControlApi, owner: Person) -> None:
    shelf = Shelf(UID, UID, "another")
    exported, erased = await _ask(api, owner, "export"), await _ask(api, owner, "erase")
    await answer_all(api.control, [shelf])
    shown = (await _read(api, owner, exported["id"]))["found"]
    gone = (await _read(api, owner, erased["id"]))["found"]

    text = {"place": "shelf", "searched": "every book on the shelf", "found": 2}
    assert shown == [{**text, "erased": 0, "data": [{"uid": UID}, {"uid": UID}]}]
    assert gone == [{**text, "erased": 2, "data": []}]
    assert shelf.uids == ["another"]


async def test_erasing_empties_what_earlier_exports_show_of_the_same_person(
    api: ControlApi, owner: Person
) -> None:
    shelf = Shelf("anna", "ben")
    exports = [await _ask(api, owner, "export", uid) for uid in ("anna", "ben")]
    await answer_all(api.control, [shelf])
    places = [shelf, *places_of(api.control)]
    again, erased = (
        await _ask(api, owner, "export", "anna"),
        await _ask(api, owner, "erase", "anna"),
    )
    await answer_all(api.control, places)

    shown = [(await _read(api, owner, one["id"]))["found"] for one in (*exports, again)]
    answered = (await _read(api, owner, erased["id"]))["found"]
    assert [[one for place in found for one in place["data"]] for found in shown] == [
        [],
        [{"uid": "ben"}],
        [],
    ]
    assert shown[0][0]["found"] == 1
    counts = {place["place"]: place["erased"] for place in answered if place["erased"]}
    assert counts == {"shelf": 1, "privacy_requests": 2}


async def test_a_place_that_is_away_leaves_the_request_open(api: ControlApi, owner: Person) -> None:
    requested = await _ask(api, owner, "erase")
    with pytest.raises(Unavailable):
        await answer_all(api.control, [Shelf(is_away=True)])
    assert (await _read(api, owner, requested["id"]))["status"] == "pending"
    await answer_privacy_requests(api.control)

    assert (await _read(api, owner, requested["id"]))["status"] == "done"


async def test_a_request_whose_search_fails_holds_up_no_other(
    api: ControlApi, owner: Person
) -> None:
    failing, good = [await _ask(api, owner, "erase", uid) for uid in ("anna", "ben")]
    with pytest.raises(DBAPIError, match="division by zero"):
        await answer_all(api.control, [Shelf("ben", fails_for="anna")])

    assert (await _read(api, owner, good["id"]))["status"] == "done"
    assert (await _read(api, owner, failing["id"]))["status"] == "pending"
    await answer_privacy_requests(api.control)


async def test_the_data_of_an_export_is_kept_as_long_as_events(
    api: ControlApi, owner: Person
) -> None:
    old, new = [await _ask(api, owner, "export", uid) for uid in ("anna", "ben")]
    await answer_all(api.control, [Shelf("anna", "ben")])
    kept = timedelta(days=api.control.settings.events_retention_days, minutes=1)
    answered_at = api.control.clock.now() - kept
    async with api.control.database.service() as session:
        await session.execute(
            text("update privacy_requests set done_at = :at where id = :id"),
            {"id": old["id"], "at": answered_at},
        )
    await sweep_privacy_requests(api.control)

    shown = [(await _read(api, owner, one["id"]))["found"][0] for one in (old, new)]
    assert [(one["found"], one["data"]) for one in shown] == [(1, []), (1, [{"uid": "ben"}])]
    assert sweep_privacy_requests in {job.act for job in JOBS}


async def test_a_request_that_cannot_be_opened_holds_up_no_other(
    api: ControlApi, owner: Person
) -> None:
    broken, good = await _ask(api, owner, "erase"), await _ask(api, owner, "erase")
    async with api.control.database.service() as session:
        await session.execute(
            text("update privacy_requests set sealed_uid = 'broken' where id = :id"),
            {"id": broken["id"]},
        )
    await answer_privacy_requests(api.control)

    assert (await _read(api, owner, good["id"]))["status"] == "done"
    assert (await _read(api, owner, broken["id"]))["status"] == "pending"


async def test_a_table_with_a_uid_is_found_by_itself(api: ControlApi, owner: Person) -> None:
    async with api.control.database.service() as session:
        await session.execute(text("set local role placard_owner"))
        await session.execute(text("create table caps (account_id text, uid text, seen integer)"))
        await session.execute(text("grant all on caps to placard_service"))
        await session.execute(text("set local role placard_service"))
        row = text("insert into caps values (:account, :uid, 3)")
        for uid in (UID, "another"):
            await session.execute(row, {"account": owner.account_id, "uid": uid})
        found = await Tables().find(session, owner.account_id, UID)
        foreign = await Tables().find(session, "another account", UID)
        erased = await Tables().erase(session, owner.account_id, UID)
        left = (await session.scalars(text("select uid from caps"))).all()
        await session.execute(text("set local role placard_owner"))
        await session.execute(text("drop table caps"))

    assert found.searched == "every table with a uid: public.caps"
    assert [record["seen"] for record in found.records] == ["3"]
    assert foreign.records == []
    assert (erased, left) == (1, ["another"])


def test_no_record_that_leaves_an_edge_has_a_field_for_a_uid() -> None:
    names = {
        field.name for kind in (EventRecord, RequestFacts, CounterRecord) for field in fields(kind)
    }

    assert not names & {"uid", "user_id", "reader"}


async def test_one_person_shows_one_hash_in_an_account_and_another_elsewhere(
    api: ControlApi, owner: Person
) -> None:
    other = await api.sign_up()
    hashes = [(await _ask(api, who, "erase"))["uid_hash"] for who in (owner, owner, other)]

    assert hashes[0] == hashes[1]
    assert hashes[1] != hashes[2]


async def test_the_list_can_be_narrowed_to_open_ones(api: ControlApi) -> None:
    owner = await api.sign_up()
    done = await _ask(api, owner, "erase")
    await answer_privacy_requests(api.control)
    pending = await _ask(api, owner, "export")
    customer = Customer(api, owner)
    whole = (await customer.get("/v1/privacy/requests")).json()["data"]
    open_ones = (await customer.get("/v1/privacy/requests?status=pending")).json()["data"]

    assert [one["id"] for one in whole] == [pending["id"], done["id"]]
    assert [one["id"] for one in open_ones] == [pending["id"]]


@pytest.mark.parametrize("uid", ["", "x" * 129, "a\nb", None, 7])
async def test_an_invalid_uid_is_refused(api: ControlApi, owner: Person, uid: object) -> None:
    body = {"uid": uid, "kind": "forget"}
    answer = await Customer(api, owner).post("/v1/privacy/requests", body)

    assert set(params_of(answer)) == {"uid", "kind"}
