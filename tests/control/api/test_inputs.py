"""What a caller sends: every fault is found, named and put in our words."""

import gzip
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Callable

import pytest
from sanic import Request
from sqlalchemy import text

from common.contract.operation import UNAUTHENTICATED_BODY_BYTES, Operation
from common.http.json_body import check_text, parse_json
from control.api import http_dispatch
from control.foundation.http.inputs import ON_LOOP_BYTES, parse_body
from tests.control.api.little_app import LittleApi
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.raw_http import ask, get
from tests.support.resources import params_of

_JSON = {"Content-Type": "application/json"}


async def _post(little: LittleApi, owner: Person, content: bytes, **headers: str) -> object:
    answer = await little.http.post(
        "/v1/notes", content=content, headers={**owner.headers, **_JSON, **headers}
    )
    return answer.status_code, code_of(answer)


@pytest.mark.parametrize("beyond", [0, 1])
async def test_a_long_body_is_parsed_outside_the_loop(
    little: LittleApi, owner: Person, monkeypatch: pytest.MonkeyPatch, beyond: int
) -> None:
    threads = list[int]()

    def parse(operation: Operation, request: Request) -> object:
        threads.append(threading.get_ident())
        return parse_body(operation, request)

    monkeypatch.setattr(http_dispatch, "parse_body", parse)
    content = b'{"text": "a"}'.ljust(ON_LOOP_BYTES + beyond)
    headers = {**owner.headers, **_JSON}
    answer = await little.http.post("/v1/notes", content=content, headers=headers)

    assert answer.status_code == 201
    assert [thread != threading.get_ident() for thread in threads] == [bool(beyond)]


async def test_all_errors_are_listed_with_dotted_names(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post(
        "/v1/notes",
        headers=owner.headers,
        json={
            "text": 5,
            "place": {"row": 0, "colour": "red"},
            "tags": [{"row": 1}, {"name": "long"}],
        },
    )

    found = {(d["param"], d["code"]) for d in answer.json()["error"]["details"]}
    assert answer.status_code == 422
    assert found == {
        ("text", "type"),
        ("place.row", "range"),
        ("place.colour", "unknown"),
        ("tags.1.row", "required"),
        ("tags.1.name", "length"),
    }


async def test_a_single_error_is_in_the_message(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post("/v1/notes", headers=owner.headers, json={})

    error = answer.json()["error"]
    assert error["param"] == "text"
    assert error["message"] == "text: This field is required."


async def test_an_empty_text_is_reported_as_empty(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post("/v1/notes", headers=owner.headers, json={"text": ""})

    assert answer.json()["error"]["message"] == "text: Must not be empty."


@pytest.mark.parametrize("content", [b"", b"{", b"nonsense", b'{"text": NaN}', b'"\xff"'])
async def test_broken_json_is_invalid_json(
    little: LittleApi, owner: Person, content: bytes
) -> None:
    assert await _post(little, owner, content) == (400, "invalid_json")


@pytest.mark.parametrize("content", [b"[]", b"null", b"7", b'"text"'])
async def test_body_that_is_no_object_is_refused(
    little: LittleApi, owner: Person, content: bytes
) -> None:
    assert await _post(little, owner, content) == (422, "validation_failed")


async def test_duplicate_field_is_refused(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post(
        "/v1/notes",
        content=b'{"text": "a", "place": {"row": 1, "row": 2}}',
        headers={**owner.headers, **_JSON},
    )
    assert (params_of(answer), code_of(answer)) == (["row"], "validation_failed")


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "deep"}])
@pytest.mark.parametrize(
    "nested",
    [b"[" * 1000 + b"]" * 1000, b'{"a":' * 600 + b"1" + b"}" * 600, b"[" * 33 + b"]" * 33],
)
async def test_deeply_nested_body_is_refused(
    little: LittleApi, owner: Person, nested: bytes, key: dict[str, str]
) -> None:
    content = b'{"text": ' + nested + b"}"
    assert await _post(little, owner, content, **key) == (422, "validation_failed")


def _many(start: bytes, item: bytes, end: bytes, size: int = 65_000) -> bytes:
    return start + b",".join([item] * ((size - len(start + end)) // (len(item) + 1))) + end


ABUSIVE = {
    "empty objects": _many(b'{"text":[', b"{}", b"]}"),
    "lists in a list": _many(b'{"text":[', b"[]", b"]}"),
    "numbers": _many(b'{"text":[', b"1", b"]}"),
    "null characters": _many(b'{"text":[', rb'"\u0000"', b"]}"),
    "the same name": _many(b'{"text":"a",', b'"a":1', b"}"),
    "unknown names": b'{"text":"a",' + b",".join(b'"%d":1' % n for n in range(6_000)) + b"}",
    "names with null characters": b"{"
    + b",".join(rb'"%d\u0000":1' % n for n in range(4_000))
    + b"}",
    "repeated pairs": b"{" + b",".join(b'"%d":1,"%d":1' % (n, n) for n in range(2_000)) + b"}",
    "objects with a fault each": _many(b'{"text":"a","tags":[', b'{"row":0}', b"]}", 40_000),
}


@pytest.mark.parametrize("name", ABUSIVE)
async def test_a_body_full_of_faults_is_answered_with_a_hundred_at_most(
    little: LittleApi, owner: Person, name: str
) -> None:
    headers = {**owner.headers, **_JSON}
    answer = await little.http.post("/v1/notes", content=ABUSIVE[name], headers=headers)
    assert (answer.status_code, code_of(answer)) == (422, "validation_failed")
    assert len(answer.json()["error"]["details"]) <= 100
    assert len(answer.content) < 32_768


async def test_null_character_is_refused_where_it_stands(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post(
        "/v1/notes",
        headers=owner.headers,
        json={"text": "a\0b", "tags": [{"row": 1, "name": "\0"}]},
    )

    params = [detail["param"] for detail in answer.json()["error"]["details"]]
    assert (answer.status_code, params) == (422, ["text", "tags.0.name"])


@pytest.mark.parametrize("item", [b"{}", b"[]", b"1", b'""'])
def test_a_long_list_of_an_unauthenticated_caller_is_checked_without_a_call_per_value(
    item: bytes,
) -> None:
    body = b"[" + b",".join([item] * (UNAUTHENTICATED_BODY_BYTES // (len(item) + 1))) + b"]"
    calls: Counter[str] = Counter()

    def count(_frame: object, event: str, _arg: object) -> None:
        calls[event] += 1

    fields = parse_json(body)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        check_text(fields, "body")
    finally:
        sys.setprofile(before)

    assert 0 < calls["call"] < 10


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_other_content_types_are_refused(
    little: LittleApi, owner: Person, media_type: str
) -> None:
    found = await _post(little, owner, b'{"text": "x"}', **{"Content-Type": media_type})

    assert found == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("encoding", "encode", "status"),
    [("gzip", gzip.compress, 201), ("deflate", zlib.compress, 201), ("br", bytes, 415)],
)
async def test_a_body_may_be_encoded(
    little: LittleApi,
    owner: Person,
    encoding: str,
    encode: Callable[[bytes], bytes],
    status: int,
) -> None:
    coded = {**owner.headers, **_JSON, "Content-Encoding": encoding}

    answer = await little.http.post("/v1/notes", content=encode(b'{"text": "a"}'), headers=coded)

    assert answer.status_code == status
    assert answer.headers.get("accept-encoding", "gzip, deflate") == "gzip, deflate"


async def test_an_encoding_that_changes_nothing_is_fine(little: LittleApi, owner: Person) -> None:
    plain = {**owner.headers, **_JSON, "Content-Encoding": "identity"}

    answer = await little.http.post("/v1/notes", content=b'{"text": "a"}', headers=plain)

    assert answer.status_code == 201


async def test_content_type_may_name_its_charset(little: LittleApi, owner: Person) -> None:
    answer = await little.http.post(
        "/v1/notes",
        content=b'{"text": "x"}',
        headers={**owner.headers, "Content-Type": "Application/JSON; charset=utf-8"},
    )

    assert answer.status_code == 201


async def test_body_that_is_too_large_is_refused(little: LittleApi, owner: Person) -> None:
    assert await _post(little, owner, b" " * 65_537) == (413, "payload_too_large")


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("environment=test&limit=0", "limit"),
        ("environment=test&limit=101", "limit"),
        ("environment=test&limit=ten", "limit"),
        ("environment=test&limit=", "limit"),
        ("environment=both", "environment"),
        ("environment=test&page=2", "page"),
        ("environment=test&limit=1&limit=2", "limit"),
        ("environment=test&limit=1%00", "limit"),
        ("environment=test&%00=1", "query"),
        ("environment=test&text=%FF", "query"),
    ],
)
async def test_query_faults_are_refused(
    little: LittleApi, owner: Person, query: str, param: str
) -> None:
    answer = await little.http.get(f"/v1/notes?{query}", headers=owner.headers)

    assert (answer.status_code, code_of(answer)) == (422, "validation_failed")
    assert answer.json()["error"]["param"] == param


async def test_operation_without_parameters_refuses_them(little: LittleApi, owner: Person) -> None:
    answer = await little.http.get("/v1/fail?debug=1", headers=owner.headers)

    assert code_of(answer) == "validation_failed"


async def test_operation_without_a_body_takes_none(little: LittleApi, owner: Person) -> None:
    with_body = await little.http.post("/v1/touch", headers=owner.headers, json={"a": 1})
    empty = await little.http.post("/v1/touch", headers=owner.headers, json={})

    assert code_of(with_body) == "validation_failed"
    assert empty.status_code == 204


async def test_invalid_body_writes_nothing_even_if_the_handler_does_not_read_it(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    answer = await little.http.post("/v1/forget", headers=owner.headers, json={})

    async with api.control.database.service() as session:
        written = await session.scalar(
            text("select count(*) from audit_log where action = 'forgetful' and object_id = 'y'")
        )
    assert answer.status_code == 422
    assert written == 0


@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        ("3", 200),
        ('"3"', 200),
        ("4", 412),
        ("123456789012", 412),
        ("12345678901234567890", 412),
        ('"abc"', 412),
        ('W/"3"', 412),
        (None, 428),
        ("*", 422),
        ("three", 422),
        ('"3', 422),
        ("-3", 422),
        ("3, 4", 422),
    ],
)
async def test_if_match_carries_the_version(
    little: LittleApi, owner: Person, if_match: str | None, status: int
) -> None:
    headers = owner.headers | ({"If-Match": if_match} if if_match else {})
    answer = await little.http.patch("/v1/notes/here", headers=headers, json={"text": "x"})

    assert answer.status_code == status


async def test_two_versions_in_two_headers_are_refused(little: LittleApi, owner: Person) -> None:
    headers = [*owner.headers.items(), ("If-Match", "3"), ("If-Match", "4")]
    answer = await little.http.patch("/v1/notes/here", headers=headers, json={"text": "x"})

    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "If-Match")


async def test_absent_object_is_404_whatever_else_is_wrong(
    little: LittleApi, owner: Person
) -> None:
    answer = await little.http.patch("/v1/notes/gone", headers=owner.headers, content=b"{")

    assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_path_with_an_unstorable_id_is_404(little: LittleApi, owner: Person) -> None:
    answer = await little.http.patch("/v1/notes/a%00b", headers=owner.headers, json={"text": "x"})

    assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_internal_error_shows_no_traceback(little: LittleApi, owner: Person) -> None:
    answer = await little.http.get("/v1/fail", headers=owner.headers)

    assert (answer.status_code, code_of(answer)) == (500, "internal")
    assert "hunter2" not in answer.text


async def test_unknown_path_and_method_are_in_the_envelope(api: ControlApi) -> None:
    absent = await api.http.get("/v1/nothing")
    method = await api.http.delete("/v1/me")

    assert (absent.status_code, code_of(absent)) == (404, "not_found")
    assert (method.status_code, code_of(method)) == (405, "method_not_allowed")
    assert method.headers["allow"] == "GET, PATCH, HEAD"


async def test_garbage_is_in_the_envelope(api: ControlApi) -> None:
    answer = await ask(api.port, b"GARBAGE\r\n\r\n")

    assert (answer.status, answer.code) == (400, "bad_request")


async def test_request_id_is_echoed(api: ControlApi) -> None:
    answer = await ask(api.port, get("/v1/me", "X-Request-Id: abc-123"))

    assert answer.headers["x-request-id"] == "abc-123"
