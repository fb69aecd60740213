"""Forged and mutated tokens: none is counted, and no redirect leads anywhere but to the ad's own destination."""

import base64
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

import pytest

from common.tracking.token import PAYLOAD_BYTES, TokenTexts, sign_token
from common.values.keys import KeyKind
from tests.edge.tracking.track_clients import BROWSER
from tests.support.builders import (
    SIGNING_SECRET,
    a_key,
    a_property,
    a_snapshot,
    a_stock,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.printing import say
from tests.support.raw_http import RawAnswer, ask_many
from tests.support.tokens import a_payload, for_ad

SEED = 7
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@dataclass(frozen=True, slots=True)
class Target:
    edge: RunningEdge
    key: str
    texts: TokenTexts
    other_account: TokenTexts
    """The same token, signed by somebody else."""

    async def show(self, clients: list[tuple[str, str]]) -> list[RawAnswer]:
        """Each text at its door: ``track``, ``impression`` or ``click``."""
        requests = [self._request(door, text) for door, text in clients]
        return await ask_many(self.edge.port, requests, at_once=100)

    def _request(self, door: str, text: str) -> bytes:
        agent = f"Host: edge\r\nUser-Agent: {BROWSER}"
        if door == "track":
            body = f'{{"token":"{text}","event":"impression"}}'
            head = f"POST /v1/track HTTP/1.1\r\n{agent}\r\nX-Service-Key: {self.key}\r\nContent-Length: {len(body)}"
            return f"{head}\r\n\r\n{body}".encode()
        suffix = ".gif" if door == "impression" else ""
        return f"GET /v1/{door}/{text}{suffix} HTTP/1.1\r\n{agent}\r\n\r\n".encode()


@asynccontextmanager
async def a_target() -> AsyncIterator[Target]:
    text, row = a_key(KeyKind.PUBLISHABLE)
    stock = a_stock()
    payload = a_payload(**for_ad(stock.ad))
    snapshot = a_snapshot(row, a_property(), *stock.objects)
    async with running_edge(snapshot) as edge:
        texts = sign_token(payload, SIGNING_SECRET)
        outsider = sign_token(payload, b"the secret of somebody quite else")
        yield Target(edge, text.text, texts, outsider)


def mutations(target: Target, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Doors, and texts that were never signed for them."""
    ours = {
        "track": target.texts.track,
        "impression": target.texts.impression,
        "click": target.texts.click,
    }
    clients = sorted(ours)
    while True:
        door = rng.choice(clients)
        text = rng.choice(_WAYS)(ours[door], rng)
        if text != ours[door]:
            yield door, text


def _bytes(text: str) -> bytes:
    """Payload and tag, one behind the other."""
    return b"".join(
        base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in text.split(".")
    )


def _text(raw: bytes) -> str:
    payload, tag = raw[:PAYLOAD_BYTES], raw[PAYLOAD_BYTES:]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (payload, tag))


def _one_character(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    return text[:place] + rng.choice(ALPHABET) + text[place + 1 :]


def _some_bits(text: str, rng: random.Random) -> str:
    raw = bytearray(_bytes(text))
    for place in rng.sample(range(len(raw)), rng.randint(1, 4)):
        raw[place] ^= 1 << rng.randrange(8)
    return _text(bytes(raw))


def _another_tag(text: str, rng: random.Random) -> str:
    raw = _bytes(text)
    return _text(raw[:PAYLOAD_BYTES] + rng.randbytes(len(raw) - PAYLOAD_BYTES))


def _another_id(text: str, rng: random.Random) -> str:
    """Some sixteen bytes on end, as if another ad, campaign or token were meant."""
    raw = _bytes(text)
    place = rng.randrange(PAYLOAD_BYTES - 16)
    return _text(raw[:place] + rng.randbytes(16) + raw[place + 16 :])


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(1, len(text))]


_WAYS = (_one_character, _some_bits, _another_tag, _another_id, _cut)


async def try_mutations(count: int) -> Counter[tuple[str, int]]:
    """The doors tried, and how they answered."""
    rng = random.Random(SEED)
    async with a_target() as target:
        found = mutations(target, rng)
        statuses = Counter[tuple[str, int]]()
        for start in range(0, count, 1_000):
            some = [next(found) for _ in range(min(1_000, count - start))]
            answers = await target.show(some)
            statuses.update(
                (door, answer.status) for (door, _), answer in zip(some, answers, strict=True)
            )
            assert not any("location" in answer.headers for answer in answers)
        counted = target.edge.context.redemptions.counts.counted
    assert set(statuses) <= {
        ("track", 400),
        ("track", 403),
        ("impression", 404),
        ("click", 404),
    }, statuses
    assert counted == 0
    return statuses


async def test_twenty_thousand_mutated_tokens_are_refused() -> None:
    await try_mutations(20_000)


@pytest.mark.long
async def test_a_million_mutated_tokens_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    statuses = await try_mutations(1_000_000)
    shown = ", ".join(
        f"{door} {status}: {count}" for (door, status), count in sorted(statuses.items())
    )
    say(
        capsys,
        f"a million mutated tokens and click URLs, seed {SEED}: 0 accepted, 0 redirects ({shown})",
    )


async def test_the_genuine_tokens_are_accepted() -> None:
    """Else the tests here would prove nothing."""
    async with a_target() as target:
        texts = target.texts
        answers = await target.show(
            [("track", texts.track), ("impression", texts.impression), ("click", texts.click)]
        )
    assert [answer.status for answer in answers] == [204, 200, 302]


async def test_a_token_for_one_use_is_refused_for_another() -> None:
    async with a_target() as target:
        texts = target.texts
        pairs = {"track": texts.track, "impression": texts.impression, "click": texts.click}
        wrong = [(door, text) for door in pairs for own, text in pairs.items() if own != door]
        answers = await target.show(wrong)
    assert {answer.status for answer in answers} <= {400, 404}
    assert not any("location" in answer.headers for answer in answers)


async def test_a_token_signed_with_a_foreign_secret_is_refused_by_every_endpoint() -> None:
    async with a_target() as target:
        outsider = target.other_account
        answers = await target.show(
            [
                ("track", outsider.track),
                ("impression", outsider.impression),
                ("click", outsider.click),
            ]
        )
    assert [answer.status for answer in answers] == [400, 404, 404]


@pytest.mark.parametrize(
    "query",
    ["?url=https://evil.example", "?to=//evil.example", "?redirect=https%3A%2F%2Fevil.example"],
)
async def test_no_query_changes_the_target_of_a_redirect(query: str) -> None:
    async with a_target() as target:
        (answer,) = await target.show([("click", target.texts.click + query)])
    assert answer.status == 302
    assert answer.headers["location"].startswith("https://brand.example/landing")


async def test_a_token_of_a_property_that_is_not_there_is_refused() -> None:
    async with a_target() as target:
        foreign = sign_token(a_payload(property_id=uuid4()), SIGNING_SECRET)
        answers = await target.show([("track", foreign.track), ("click", foreign.click)])
    assert {answer.status for answer in answers} <= {400, 403, 404}
