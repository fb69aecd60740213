"""Who is let in: each refusal of the contract, and the order they come in."""

from typing import Any

import pytest

from common.snapshot.model import RateLimits, SnapshotObject
from common.values.enums import AccountState, PropertyStatus
from common.values.environment import Environment
from common.values.keys import KeyKind, KeyText, new_key
from tests.support.builders import (
    NOW_MS,
    a_key,
    a_property,
    a_slot,
    a_snapshot,
    a_stock,
    an_account,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, exchange

SUSPENDED = an_account(state=AccountState.SUSPENDED)
UNVERIFIED = a_property(status=PropertyStatus.UNVERIFIED)


async def ask(
    *headers: str,
    query: str = "slot=top",
    objects: tuple[SnapshotObject, ...] = (),
    environment: Environment = Environment.LIVE,
) -> RawAnswer:
    snapshot = a_snapshot(a_slot(), *objects, environment=environment)
    async with running_edge(snapshot) as edge:
        return await edge.get(f"/v1/serve?{query}", *headers)


async def test_no_key_is_missing_key() -> None:
    answer = await ask()
    assert (answer.status, answer.code) == (401, "missing_key")


@pytest.mark.parametrize("path", ["/v1/serve?slot=top", "/v1/features"])
async def test_a_key_is_taken_from_header_query_and_bearer(path: str) -> None:
    publishable, pk = a_key()
    secret, sk = a_key(KeyKind.SECRET)
    sign = "&" if "?" in path else "?"
    async with running_edge(a_snapshot(a_slot(), pk, sk)) as edge:
        answers = [
            await edge.get(path, f"X-Service-Key: {publishable.text}"),
            await edge.get(f"{path}{sign}key={publishable.text}"),
            await edge.get(path, f"Authorization: Bearer {secret.text}"),
        ]
    assert all(answer.status in (200, 204) for answer in answers)


async def test_the_header_wins_over_the_query() -> None:
    publishable, pk = a_key()
    answer = await ask(
        "X-Service-Key: pk_live_nonsense", query=f"slot=top&key={publishable.text}", objects=(pk,)
    )
    assert answer.code == "invalid_key"


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "pk_live_",
        "pk_live_" + "a" * 36,
        "pk_prod_" + "a" * 36,
        "\xff",
        "pk_live_" + "\xff" * 36,
    ],
)
async def test_a_malformed_key_is_invalid(text: str) -> None:
    answer = await ask(f"X-Service-Key: {text}")
    assert (answer.status, answer.code) == (401, "invalid_key")


async def test_an_unknown_key_is_invalid() -> None:
    answer = await ask(f"X-Service-Key: {new_key(KeyKind.PUBLISHABLE, Environment.LIVE).text}")
    assert (answer.status, answer.code) == (401, "invalid_key")


@pytest.mark.parametrize(
    ("header", "kind", "advice"),
    [
        ("X-Service-Key: ", KeyKind.SECRET, "Bearer"),
        ("X-Service-Key: ", KeyKind.INTEGRATION, "pk_"),
        ("Authorization: Bearer ", KeyKind.PUBLISHABLE, "X-Service-Key"),
        ("Authorization: Bearer ", KeyKind.INTEGRATION, "management"),
    ],
)
async def test_a_key_of_the_wrong_kind_is_refused_with_the_operations_it_is_for(
    header: str, kind: KeyKind, advice: str
) -> None:
    text, row = a_key(kind)
    answer = await ask(f"{header}{text.text}", objects=(row,))
    assert (answer.status, answer.code) == (401, "invalid_key")
    assert advice in answer.json["error"]["message"]
    assert text.text not in answer.body.decode()


@pytest.mark.parametrize("kind", [KeyKind.SECRET, KeyKind.INTEGRATION])
async def test_a_secret_in_the_url_is_refused_with_a_warning(kind: KeyKind) -> None:
    text, row = a_key(kind)
    answer = await ask(query=f"slot=top&key={text.text}", objects=(row,))
    assert answer.code == "invalid_key"
    assert "in a URL: it is in logs" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    "header",
    ["Authorization: Basic abc", "Authorization: abc", "Authorization: Bearer", "X-Service-Key:"],
)
async def test_a_header_without_a_key_is_ignored(header: str) -> None:
    text, row = a_key()
    bare = await ask(header, objects=(row,))
    with_key = await ask(header, query=f"slot=top&key={text.text}", objects=(row,))
    assert (bare.status, bare.code) == (401, "missing_key")
    assert with_key.status == 204


@pytest.mark.parametrize("serving", Environment)
async def test_a_key_of_the_other_environment_is_recognised_by_its_prefix(
    serving: Environment,
) -> None:
    other = Environment.TEST if serving is Environment.LIVE else Environment.LIVE
    unknown = new_key(KeyKind.PUBLISHABLE, other)
    answer = await ask(f"X-Service-Key: {unknown.text}", environment=serving)
    assert (answer.status, answer.code) == (403, "wrong_environment")


@pytest.mark.parametrize("change", [{"revoked_at_ms": NOW_MS - 1}, {"expires_at_ms": NOW_MS}])
async def test_a_revoked_or_expired_key_is_revoked(change: dict[str, Any]) -> None:
    text, row = a_key(**change)
    answer = await ask(f"X-Service-Key: {text.text}", objects=(row,))
    assert (answer.status, answer.code) == (403, "key_revoked")


async def test_a_key_works_until_it_expires() -> None:
    text, row = a_key(expires_at_ms=NOW_MS + 1)
    answer = await ask(f"X-Service-Key: {text.text}", objects=(row,))
    assert answer.status == 204


async def test_a_suspended_account_is_refused_in_both_environments() -> None:
    for environment in Environment:
        text, row = a_key(environment=environment)
        answer = await ask(
            f"X-Service-Key: {text.text}", objects=(row, SUSPENDED), environment=environment
        )
        assert (answer.status, answer.code) == (403, "tenant_suspended")


async def test_an_account_past_due_is_served() -> None:
    text, row = a_key()
    due = an_account(state=AccountState.PAST_DUE)
    answer = await ask(f"X-Service-Key: {text.text}", objects=(row, due))
    assert answer.status == 204


async def test_an_unverified_property_is_refused_in_live_only() -> None:
    codes = {}
    for environment in Environment:
        text, row = a_key(environment=environment)
        answer = await ask(
            f"X-Service-Key: {text.text}", objects=(row, UNVERIFIED), environment=environment
        )
        codes[environment] = answer.status
    assert codes == {Environment.LIVE: 403, Environment.TEST: 204}


async def test_revoked_takes_precedence_over_suspended_over_unverified() -> None:
    revoked, revoked_row = a_key(revoked_at_ms=1)
    valid, row = a_key()
    objects = (revoked_row, row, SUSPENDED, UNVERIFIED)
    first = await ask(f"X-Service-Key: {revoked.text}", objects=objects)
    second = await ask(f"X-Service-Key: {valid.text}", objects=objects)
    assert (first.code, second.code) == ("key_revoked", "tenant_suspended")


async def test_the_address_is_limited_and_gets_retry_after() -> None:
    text, row = a_key()
    prop = a_property(rate_limits=RateLimits(1000, 2, 1000, 2))
    async with running_edge(a_snapshot(a_slot(), row, prop)) as edge:
        statuses = await _serve_times(edge, text, 7)
        refused = await edge.serve("slot=top", text.text)
        edge.clock.advance(ms=int(refused.headers["retry-after"]) * 1000)
        later = await edge.serve("slot=top", text.text)
    assert statuses == [204] * 6 + [429]
    assert refused.code == "rate_limited"
    assert later.status == 204


@pytest.mark.parametrize("hours", [-1, 1])
async def test_setting_the_wall_clock_refuses_nobody_and_grants_nothing(hours: int) -> None:
    """The first call goes the slow path; compiled, the cache answers the others."""
    text, row = a_key()
    prop = a_property(rate_limits=RateLimits(1000, 2, 1000, 2))
    async with running_edge(a_snapshot(*a_stock().objects, row, prop)) as edge:
        before = await _serve_times(edge, text, 4)
        edge.clock.set_by(ms=hours * 3_600_000)
        after = await _serve_times(edge, text, 3)
    assert before + after == [200] * 6 + [429]


async def test_the_key_is_limited_over_all_addresses() -> None:
    text, row = a_key()
    prop = a_property(rate_limits=RateLimits(2, 1000, 1000, 1000))
    async with running_edge(a_snapshot(a_slot(), row, prop), proxies_count=1) as edge:
        statuses = [
            (await edge.serve("slot=top", text.text, f"X-Forwarded-For: 9.9.9.{n}")).status
            for n in range(7)
        ]
    assert statuses == [204] * 6 + [429]


async def test_a_secret_key_has_ten_times_the_rate_and_no_limit_per_address() -> None:
    text, row = a_key(KeyKind.SECRET)
    prop = a_property(rate_limits=RateLimits(1, 1, 1, 1))
    async with running_edge(a_snapshot(a_slot(), row, prop)) as edge:
        header = f"Authorization: Bearer {text.text}"
        statuses = [(await edge.get("/v1/serve?slot=top", header)).status for _ in range(31)]
    assert statuses == [204] * 30 + [429]


async def test_serve_and_track_have_rates_of_their_own() -> None:
    text, row = a_key()
    prop = a_property(rate_limits=RateLimits(1000, 1, 1000, 1))
    async with running_edge(a_snapshot(a_slot(), row, prop)) as edge:
        assert await _serve_times(edge, text, 4) == [204] * 3 + [429]
        track = await edge.get("/v1/track", f"X-Service-Key: {text.text}", method="POST")
    assert track.code == "invalid_json"


async def _serve_times(edge: RunningEdge, key: KeyText, times: int) -> list[int]:
    return [(await edge.serve("slot=top", key.text)).status for _ in range(times)]


_TRACKED = b'{"token": "x", "event": "impression"}'


@pytest.mark.parametrize("fast_path", [True, False])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/serve?slot=top"),
        ("GET", "/v1/features"),
        ("POST", "/v1/track"),
        ("POST", "/v1/track/batch"),
        ("POST", "/v1/conversions"),
    ],
)
async def test_a_401_states_how_to_authenticate(method: str, path: str, *, fast_path: bool) -> None:
    """RFC 9110, 11.6.1."""
    text = []
    async with running_edge(a_snapshot(a_slot()), fast_path=fast_path) as edge:
        for headers in ([], ["Authorization: Bearer sk_live_nonsense"]):
            lines = [f"{method} {path} HTTP/1.1", "Host: edge", *headers]
            if method == "POST":
                lines.append(f"Content-Length: {len(_TRACKED)}")
            body = _TRACKED if method == "POST" else b""
            last = b"GET /livez HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n"
            head = "\r\n".join([*lines, "", ""]).encode()
            answer, _ = await exchange(edge.port, head + body, last)
            text.append((answer.status, answer.headers["www-authenticate"]))

    assert text == [(401, "Bearer"), (401, 'Bearer error="invalid_token"')]
