"""``GET /v1/features``: what a client library starts with, cacheable."""

from dataclasses import replace

from common.contract.features_models import Features
from common.decision.demo_slots import DEMO_KEYS
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import TYPE_OF, SnapshotObject
from common.snapshot.snapshot import Snapshot, apply_entries
from common.values.enums import SlotStatus
from common.values.environment import Environment
from tests.support.builders import (
    a_campaign,
    a_key,
    a_property,
    a_slot,
    a_snapshot,
    an_account,
)
from tests.support.edge import running_edge

FIELDS = [
    "property_id",
    "environment",
    "version",
    "flags",
    "slots",
    "consent",
    "tracking",
    "sdk",
    "ttl_seconds",
]


def entry_of(item: SnapshotObject) -> ObjectChange:
    return ObjectChange(TYPE_OF[type(item)], item.id, encode_object(item))


async def test_features_have_exactly_the_documented_fields() -> None:
    key, row = a_key()
    async with running_edge(a_snapshot(row, a_slot())) as edge:
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert answer.status == 200
    assert sorted(answer.json) == sorted(FIELDS)
    assert Features.model_validate_json(answer.body).slots[0].key == "top"


async def test_archived_slots_are_left_out() -> None:
    key, row = a_key()
    slots = (a_slot(), a_slot(key="old", status=SlotStatus.ARCHIVED))
    async with running_edge(a_snapshot(row, *slots)) as edge:
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert [slot["key"] for slot in answer.json["slots"]] == ["top"]


async def test_the_demo_slots_are_listed_in_test() -> None:
    key, row = a_key(environment=Environment.TEST)
    async with running_edge(a_snapshot(row, environment=Environment.TEST)) as edge:
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert tuple(slot["key"] for slot in answer.json["slots"]) == DEMO_KEYS


async def test_an_unchanged_answer_is_304_without_a_body() -> None:
    key, row = a_key()
    header = f"X-Service-Key: {key.text}"
    async with running_edge(a_snapshot(row, a_slot())) as edge:
        first = await edge.get("/v1/features", header)
        tag = first.headers["etag"]
        again = await edge.get("/v1/features", header, f'If-None-Match: "x", W/{tag}')
        other = await edge.get("/v1/features", header, 'If-None-Match: "x"')
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert other.status == 200


async def test_the_tag_changes_with_the_content_alone() -> None:
    key, row = a_key()
    slot = a_slot()

    async def tag_of(snapshot: Snapshot) -> str:
        edge.adopt(snapshot)
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
        return answer.headers["etag"]

    async with running_edge(a_snapshot(row, slot)) as edge:
        first = await tag_of(a_snapshot(row, slot, version=2))
        same = await tag_of(a_snapshot(row, slot, a_campaign(), version=3))
        more = await tag_of(a_snapshot(row, slot, a_slot(key="more"), version=4))
    assert first == same != more


async def test_a_delta_changes_what_it_names_and_nothing_else() -> None:
    key, row = a_key()
    slot, other = a_slot(), a_slot(key="other")
    flagged = a_property(sdk='{"flags":{"layout":"wide"},"min":{}}')
    header = f"X-Service-Key: {key.text}"
    async with running_edge(a_snapshot(row, slot)) as edge:
        deltas: list[tuple[SnapshotObject, list[str]]] = [
            (a_campaign(), ["top"]),
            (other, ["other", "top"]),
            (replace(slot, status=SlotStatus.ARCHIVED), ["other"]),
            (replace(other, key="renamed"), ["renamed"]),
        ]
        seen = []
        await edge.get("/v1/features", header)
        for item, _ in deltas:
            before = edge.context.snapshots.current()
            edge.adopt(apply_entries(before, before.version + 1, [entry_of(item)]))
            answer = await edge.get("/v1/features", header)
            seen.append([one["key"] for one in answer.json["slots"]])
        before = edge.context.snapshots.current()
        edge.adopt(apply_entries(before, before.version + 1, [entry_of(flagged)]))
        changed = await edge.get("/v1/features", header)
    assert "layout" not in answer.json["flags"]
    assert changed.json["flags"]["layout"] == "wide"
    assert seen == [keys for _, keys in deltas]


async def test_the_account_s_switch_is_the_libraries_kill_switch() -> None:
    key, row = a_key()
    header = f"X-Service-Key: {key.text}"
    async with running_edge(a_snapshot(row)) as edge:
        before = await edge.get("/v1/features", header)
        ours = edge.context.snapshots.current()
        stopped = entry_of(an_account(stopped=True))
        edge.adopt(apply_entries(ours, ours.version + 1, [stopped]))
        after = await edge.get("/v1/features", header)
    assert [one.json["sdk"]["kill_switch"] for one in (before, after)] == [False, True]
    assert before.headers["etag"] != after.headers["etag"]


async def test_the_account_s_switch_is_for_live_alone() -> None:
    key, row = a_key(environment=Environment.TEST)
    snapshot = a_snapshot(row, an_account(stopped=True), environment=Environment.TEST)
    async with running_edge(snapshot) as edge:
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert answer.json["sdk"]["kill_switch"] is False


async def test_only_a_key_in_the_url_makes_it_publicly_cacheable() -> None:
    key, row = a_key()
    async with running_edge(a_snapshot(row)) as edge:
        by_header = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
        by_url = await edge.get(f"/v1/features?key={key.text}")
    assert by_header.headers["cache-control"] == "max-age=300"
    assert by_url.headers["cache-control"] == "public, max-age=300"
    assert by_header.headers["vary"] == "X-Service-Key"


async def test_consent_follows_the_property_s_policy() -> None:
    key, row = a_key()
    prop = a_property(consent_policy="presumed")
    async with running_edge(a_snapshot(row)) as edge:
        strict = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
        edge.adopt(a_snapshot(row, prop, version=2))
        presumed = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert strict.json["consent"]["default"] == "non_personalized"
    assert presumed.json["consent"] == {"required": [], "default": "personalized"}


async def test_versions_and_flags_of_the_property_are_answered() -> None:
    key, row = a_key()
    prop = a_property(sdk='{"flags":{"layout":"wide","sticky":true},"min":{"web":"9.0.0"}}')
    async with running_edge(a_snapshot(row, prop)) as edge:
        answer = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
    assert answer.json["flags"] == {"layout": "wide", "sticky": True, "several_slots": True}
    assert answer.json["sdk"]["min"] == {"web": "9.0.0"}


async def test_head_answers_like_get_without_a_body() -> None:
    key, row = a_key()
    async with running_edge(a_snapshot(row)) as edge:
        get = await edge.get("/v1/features", f"X-Service-Key: {key.text}")
        request = ("/v1/features", f"X-Service-Key: {key.text}")
        head = await edge.get(*request, method="HEAD")
    assert head.headers["etag"] == get.headers["etag"]
    assert head.body == b""
