"""Our own rules of the description, which no linter knows."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import MAX_HEAD_BYTES, Auth, Plane
from common.contract.pattern_messages import PATTERN_MESSAGES
from common.values.enums import Format
from common.values.errors import STATUS, ErrorCode
from tests.contract.described import Described, all_described, document, resolve

ALL = all_described()
CONTROL = [one for one in ALL if one.operation.plane is Plane.CONTROL]
EDGE = [one for one in ALL if one.operation.plane is Plane.EDGE]
every_operation = pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
every_control_operation = pytest.mark.parametrize("one", CONTROL, ids=lambda one: one.name)

ENVELOPE = {"$ref": "#/components/schemas/ErrorEnvelope"}
KEYED_BY_BODY = {"stitchAudio": "session_id"}
"""Operations of the edge whose requests are recognised by a field of the body, by that field."""
SELF_EVIDENT = frozenset(
    {"id", "name", "code", "message", "email", "version", "status", "environment", "currency"}
    | {"width", "height", "created_at", "updated_at", "data", "has_more", "next_cursor", "format"}
)
"""Names that say by themselves what they hold, wherever they stand."""


def test_operation_ids_are_camel_case_and_unique() -> None:
    names = [one.item["operationId"] for one in ALL]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+([A-Z0-9][a-z0-9]*)*", name)] == []


def test_models_are_named_without_the_module_they_stand_in() -> None:
    """Two models of one name are distinguished by their modules' paths, which nobody should read: rename one."""
    assert [name for name in document()["components"]["schemas"] if "__" in name] == []


def test_no_model_has_the_name_that_generators_give_to_an_objects_field() -> None:
    """A field that is an object without a model gets one named after its parent and itself: `View.question`."""
    models = document()["components"]["schemas"]
    fields = {
        f"{parent}{''.join(part.title() for part in name.split('_'))}"
        for parent, model in models.items()
        for name, field in model.get("properties", {}).items()
        if any(one.get("type") == "object" for one in (field, *field.get("anyOf", ())))
    }

    assert fields & set(models) == set()


def test_no_constant_stands_beside_null() -> None:
    """Some generators make a type of it that holds null alone. Such a value is an enumeration with one member."""
    found = [
        where
        for where, schema in _nodes(document(), "")
        if ("const" in schema and "null" in schema.get("type", ()))
        or (
            any("const" in one for one in _alternatives(schema))
            and any(one.get("type") == "null" for one in _alternatives(schema))
        )
    ]

    assert found == []


def test_generators_make_at_most_three_types_an_operation() -> None:
    """
    Each generator makes at least one type of each model and of each error response. There are 2.7 an operation: what
    exceeds the bound names the same content twice, or has a response of its own for each operation.
    """
    components = document()["components"]

    assert len(components["schemas"]) + len(components["responses"]) <= 3 * len(ALL)


def test_operations_of_the_edge_name_their_plane() -> None:
    assert {one.id for one in EDGE_OPERATIONS if one.plane is not Plane.EDGE} == set()


@every_operation
def test_every_operation_states_its_credentials_and_permissions(one: Described) -> None:
    schemes = {name for alternative in one.item["security"] for name in alternative}

    assert bool(schemes) == bool(one.operation.auth)
    assert schemes <= set(document()["components"]["securitySchemes"])
    assert set(one.item.get("x-permissions", ())) <= schemes
    for needed in one.operation.needs.values():
        assert f"`{needed}`" in one.item["description"]


@every_operation
def test_every_failure_is_the_envelope_with_an_example_for_each_code(one: Described) -> None:
    reported = set()
    for status, answer in one.failures.items():
        content = answer["content"]["application/json"]
        assert content["schema"] == ENVELOPE, status
        for code, example in content["examples"].items():
            value = resolve(example)["value"]
            assert STATUS[ErrorCode(code)] == int(status)
            assert (value["error"]["code"], bool(value["error"]["message"])) == (code, True)
            assert f"`{code}`" in answer["description"]
            reported.add(code)

    assert reported == set(one.operation.all_errors)


@every_operation
def test_the_maximum_of_a_request_head_is_described(one: Described) -> None:
    for status in ("414", "431"):
        assert f"{MAX_HEAD_BYTES:,} bytes" in one.failures[status]["description"]


@every_control_operation
def test_every_success_has_an_example(one: Described) -> None:
    bare = [
        status
        for status, answer in one.responses.items()
        if status < "300"
        and "application/json" in answer.get("content", {})
        and "example" not in answer["content"]["application/json"]
    ]

    assert not bare


@every_operation
def test_every_success_carries_the_request_id(one: Described) -> None:
    assert "X-Request-Id" in one.parameters
    successes = [answer for status, answer in one.responses.items() if status < "400"]
    assert all("X-Request-Id" in answer["headers"] for answer in successes)
    assert "`X-Request-Id`" in document()["info"]["description"]  # for the others


@every_control_operation
def test_every_success_reports_the_rate_limit(one: Described) -> None:
    if one.name == "getDescription":  # the one file among the operations
        return
    successes = [answer for status, answer in one.responses.items() if status < "400"]
    assert all({"RateLimit", "RateLimit-Policy"} <= set(answer["headers"]) for answer in successes)
    assert "`RateLimit`" in document()["info"]["description"]
    assert "Retry-After" in one.responses["429"]["headers"]
    assert "Retry-After" in one.responses["503"]["headers"]


@every_control_operation
def test_a_creating_call_takes_an_idempotency_key(one: Described) -> None:
    makes = "201" in one.responses
    takes = "Idempotency-Key" in one.parameters

    assert takes or not makes
    assert takes == one.operation.creates
    if makes:
        assert "Idempotent-Replayed" in one.responses["201"]["headers"]


@pytest.mark.parametrize("one", EDGE, ids=lambda one: one.name)
def test_an_edge_operation_that_refuses_a_reused_key_describes_the_key(one: Described) -> None:
    keyed_by_body = one.name in KEYED_BY_BODY
    refuses = ErrorCode.IDEMPOTENCY_KEY_REUSED in one.operation.all_errors
    takes = "Idempotency-Key" in one.parameters

    assert takes == (refuses and not keyed_by_body)
    if takes:
        good = [answer for status, answer in one.responses.items() if status < "400"]
        assert all("Idempotent-Replayed" in answer["headers"] for answer in good)
    if keyed_by_body:
        assert one.operation.body is not None
        assert KEYED_BY_BODY[one.name] in one.operation.body.model_fields


@every_control_operation
def test_every_operation_that_takes_a_version_returns_one(one: Described) -> None:
    if not one.operation.needs_version:
        return
    read = [
        other
        for other in CONTROL
        if other.operation.path == one.operation.path and other.operation.method == "GET"
    ]

    assert one.parameters["If-Match"]["required"]
    for giver in (one, *read):
        good = [answer for status, answer in giver.responses.items() if status == "200"]
        assert all("ETag" in answer["headers"] for answer in good), giver.name
    assert {"412", "428"} <= set(one.failures)


def test_every_change_of_a_versioned_object_takes_its_version() -> None:
    versioned = {
        one.operation.path
        for one in CONTROL
        if one.operation.method == "GET" and "ETag" in one.responses["200"]["headers"]
    }
    changing = [
        one
        for one in CONTROL
        if one.operation.method != "GET"
        and {one.operation.path, one.operation.path.rpartition("/")[0]} & versioned
    ]

    without = {one.name for one in changing if "If-Match" not in one.parameters}
    assert without == {"cloneCampaign"}  # it makes another object


@every_operation
def test_every_parameter_is_described(one: Described) -> None:
    bare = [name for name, given in one.parameters.items() if not given.get("description")]

    assert not bare


@every_operation
def test_bodies_have_an_example(one: Described) -> None:
    """A file has none."""
    contents = one.item.get("requestBody", {}).get("content", {})
    bare = [kind for kind, media in contents.items() if "example" not in media]

    assert bare in ([], ["multipart/form-data"])


@pytest.mark.parametrize("one", CONTROL, ids=lambda one: one.name)
def test_an_integration_key_gets_403_on_operations_it_may_not_call(one: Described) -> None:
    closed = one.operation.auth and Auth.INTEGRATION_KEY not in one.operation.auth
    reported = "not_available_to_integration_keys" in one.failures.get("403", {}).get(
        "description", ""
    )

    assert reported == bool(closed)


def test_every_field_is_described_or_self_explanatory() -> None:
    bare = [
        f"{model}.{name}"
        for model, schema in document()["components"]["schemas"].items()
        for name, field in schema.get("properties", {}).items()
        if "description" not in field
        and name not in SELF_EVIDENT
        and not name.endswith(("_id", "_at"))
        and not _is_named_object(field)
    ]

    assert bare == [], "describe them in their models, or in common/contract/field_descriptions.py"


def _is_named_object(field: dict[str, object]) -> bool:
    """A reference to a model or an enumeration, whose own name and fields say the rest."""
    options = [field, *field.get("anyOf", ())]  # type: ignore[misc]  # a schema's alternatives are a list
    items = field.get("items")
    options += [items] if isinstance(items, dict) else []
    return any(isinstance(option, dict) and "$ref" in option for option in options)


def test_every_pattern_of_a_request_field_has_an_error_message() -> None:
    """But for the sorting of a report, whose pattern is a list of its metrics, which says it best."""
    bare = [
        pattern
        for one in CONTROL
        for model in (one.operation.body, one.operation.query)
        if model is not None
        for pattern in _patterns_of(model.model_json_schema())
        if pattern not in PATTERN_MESSAGES and not pattern.startswith("^-?(")
    ]

    assert bare == [], "say them in common/contract/pattern_messages.py"


def _patterns_of(schema: object) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _patterns_of(one)
    elif isinstance(schema, dict):
        for name, inner in schema.items():
            if name == "pattern" and isinstance(inner, str):
                yield inner
            yield from _patterns_of(inner)


def _nodes(node: object, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document with its path."""
    if isinstance(node, list):
        for number, one in enumerate(node):
            yield from _nodes(one, f"{where}/{number}")
    elif isinstance(node, dict):
        yield where, node
        for name, inner in node.items():
            yield from _nodes(inner, f"{where}/{name}")


def _alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """With their references followed."""
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [resolve(one) for one in options if isinstance(one, dict)]


def test_a_new_ad_is_one_of_its_formats() -> None:
    """So that generators make a type of each, in place of one whose fields are all optional."""
    schemas = document()["components"]["schemas"]
    ad = schemas["AdCreate"]
    named = ad["discriminator"]

    assert named["propertyName"] == "format"
    assert set(named["mapping"]) == {one.value for one in Format}
    assert {one["$ref"] for one in ad["oneOf"]} == set(named["mapping"].values())
    for name, place in named["mapping"].items():
        format_of = resolve({"$ref": place})["properties"]["format"]
        assert resolve(format_of).get("const") == name or resolve(format_of).get("enum") == [name]


def test_no_pixel_redirect_or_frame_of_an_ad_is_refused_for_its_rate() -> None:
    """The conversion pixel is: whoever loads it may make up what it counts."""
    public = {one.id: one for one in EDGE_OPERATIONS if not one.auth}
    limited = {name for name, one in public.items() if ErrorCode.RATE_LIMITED in one.all_errors}
    assert limited == {"conversionPixel"}
    assert {
        *("impressionPixel", "signalPixel", "clickRedirect", "adFrame", "emailImage", "emailClick")
    } <= public.keys()
