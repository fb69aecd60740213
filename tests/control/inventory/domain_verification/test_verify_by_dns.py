"""Verifying a property by a TXT record, through the API."""

import dns.rcode
import pytest
from sqlmodel import col, select

from control.storage.tables.outbox import SnapshotObjectRow
from tests.control.inventory.domain_verification.conftest import Outside
from tests.support.control_api import code_of


async def test_the_answer_contains_exactly_the_record_to_publish(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make("news.example.net")

    answer = await owner.start(site)

    found = answer.json()
    assert answer.status_code == 200
    assert found["record"] == {
        "type": "TXT",
        "name": "_service-ad.news.example.net",
        "value": found["token"],
    }
    assert found["tag"] is None
    assert len(found["token"]) >= 30
    assert (await owner.read(site))["verification"]["token"] == found["token"]


async def test_a_token_stays_until_another_method_or_domain(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    first = (await owner.start(site)).json()["token"]

    again = (await owner.start(site)).json()["token"]
    tag = (await owner.start(site, "html_tag")).json()["token"]
    version = (await owner.read(site))["version"]
    moved = await owner.customer.patch(
        f"/v1/properties/{site['id']}", version, {"domain": "b.example.net"}
    )
    elsewhere = (await owner.start(site, "html_tag")).json()["token"]

    assert first == again
    assert len({first, tag, elsewhere}) == 3
    assert moved.json()["verification"]["token"] is None


async def test_tokens_differ_between_properties_of_one_domain(outside: Outside) -> None:
    owner = await outside.owner()
    one, other = await owner.make("s.example.net"), await owner.make("s.example.net")

    assert (await owner.start(one)).json()["token"] != (await owner.start(other)).json()["token"]


async def test_each_check_makes_a_new_version(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    path = f"/v1/properties/{site['id']}"
    token = (await owner.start(site)).json()["token"]
    started = (await owner.customer.get(path)).headers["etag"]
    failed = (await owner.verify(site)).json()
    after_failure = await owner.customer.get(path)
    outside.publish(site["domain"], token)
    await owner.verify(site)
    proven = (await owner.customer.get(path)).headers["etag"]
    await owner.verify(site)
    again = (await owner.customer.get(path)).headers["etag"]

    assert failed["property"] == after_failure.json()
    assert len({started, after_failure.headers["etag"], proven, again}) == 4


async def test_a_published_record_verifies_and_is_published_to_edges(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    token = (await owner.start(site)).json()["token"]
    outside.publish(site["domain"], "v=spf1 -all", token)

    answer = await owner.verify(site)

    found = answer.json()
    assert (answer.status_code, found["verified"], found["problem"]) == (200, True, None)
    assert found["status"] == found["property"]["status"] == "verified"
    assert [item["outcome"] for item in found["saw"]] == ["found", "found"]
    assert token in found["saw"][0]["values"]
    assert found["property"]["verification"]["checked_at"] is not None
    async with outside.api.control.database.service() as session:
        wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id) == site["id"])
        known = (await session.scalars(wanted)).one()
    assert b'"status":"verified"' in known.body


async def test_an_absent_record_is_named_with_what_to_do(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    await owner.start(site)

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "record_missing")
    assert [item["outcome"] for item in found["saw"]] == ["no_such_name", "no_such_name"]
    assert "Publish the TXT record" in found["next"]
    assert found["property"]["verification"]["last_error"] == found["message"]


async def test_another_value_is_shown(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    await owner.start(site)
    outside.publish(site["domain"], "sav_of_somebody_else")

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "record_differs")
    assert found["saw"][0]["values"] == ["sav_of_somebody_else"]


async def test_resolvers_that_disagree_verify_nothing(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    token = (await owner.start(site)).json()["token"]
    outside.one.text(f"_service-ad.{site['domain']}", token)

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "resolvers_disagree")


async def test_a_silent_resolver_decides_nothing(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    outside.publish(site["domain"], (await owner.start(site)).json()["token"])
    outside.other.silent = True

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "resolver_silent")
    assert [item["outcome"] for item in found["saw"]] == ["found", "timed_out"]


async def test_failing_name_servers_are_distinguished_from_a_missing_record(
    outside: Outside,
) -> None:
    owner = await outside.owner()
    site = await owner.make()
    await owner.start(site)
    outside.one.rcode = outside.other.rcode = dns.rcode.SERVFAIL

    assert (await owner.verify(site)).json()["problem"] == "name_servers_fail"


async def test_verifying_before_starting_is_refused_with_the_reason(outside: Outside) -> None:
    owner = await outside.owner()

    answer = await owner.verify(await owner.make())

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")
    assert "/verification" in answer.json()["error"]["message"]
    assert outside.one.asked == []


@pytest.mark.parametrize("kind", ["app", "ctv", "email", "audio"])
async def test_a_property_without_a_domain_gets_an_error_with_the_next_step(
    outside: Outside, kind: str
) -> None:
    owner = await outside.owner()
    body = {"name": "App", "kind": kind, "bundle_id": "com.example.app"}
    site = (await owner.customer.post("/v1/properties", body)).json()

    for answer in (await owner.start(site), await owner.verify(site)):
        assert (answer.status_code, code_of(answer)) == (409, "invalid_state")
        assert answer.json()["error"]["param"] == "domain"
        assert "operator" in answer.json()["error"]["message"]


async def test_checks_are_throttled_per_property(outside: Outside) -> None:
    owner = await outside.owner()
    site, other = await owner.make(), await owner.make()
    await owner.start(site)
    await owner.start(other)

    answers = [await owner.verify(site) for _ in range(5)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert (await owner.verify(other)).status_code == 200


async def test_a_failed_check_takes_nothing_from_a_verified_property(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.verified()
    outside.unpublish(site["domain"])

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["status"]) == (False, "verified")


async def test_asking_for_another_method_keeps_what_is_proven(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.verified()

    await owner.start(site, "html_tag")

    found = await owner.read(site)
    assert (found["status"], found["verification"]["method"]) == ("verified", "html_tag")


async def test_another_domain_takes_the_verification_away(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.verified()

    await owner.customer.patch(
        f"/v1/properties/{site['id']}", site["version"], {"domain": "moved.example.net"}
    )

    found = await owner.read(site)
    assert found["status"] == "unverified"
    assert set(found["verification"].values()) == {None}


async def test_another_account_cannot_verify_the_property(outside: Outside) -> None:
    owner, outsider = await outside.owner(), await outside.owner()
    site = await owner.make()
    await owner.start(site)

    for answer in (await outsider.start(site), await outsider.verify(site)):
        assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert outside.one.asked == []
