"""Requests with varying heads, so that no cache of whole requests determines a figure."""

import base64
import random
from dataclasses import dataclass
from uuid import UUID, uuid4

import orjson

from common.tracking.token import TokenPayload, sign_token
from common.values.enums import Format, PricingModel, Source, Surface
from loadtests.bench.corpus import COUNTRIES, VALUES, WORDS, skewed
from loadtests.bench.serving import address_in
from loadtests.bench.world import World

_AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/{v}.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:{v}.0) Gecko/20100101 Firefox/{v}.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/{v}.1 Safari/605.1.15",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/{v}.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E{v} Safari/604.1",
)
_LANGUAGES = (
    "en-US,en;q=0.9",
    "de-DE,de;q=0.8",
    "en-GB,en;q=0.9",
    "fr,en;q=0.5",
    "es",
    "it-IT,it;q=0.9,en;q=0.4",
    "nl",
    "pl,de;q=0.3",
    "pt-BR",
    "tr",
    "ja",
)
_SHARES = (35, 5, 10, 30, 20)
"""Shares of the agents, in percent: about those of a text site."""
_VERSIONS = tuple(range(145, 99, -1))
"""Newest first: browsers update themselves, so most readers have one of the last versions."""
_READERS = 20_000
_RETURNING = 0.8
"""The exponent of how often readers return: few often, most rarely."""
_PAGES = 500
_SLOTS_OF_PAGE = 2
_BY_PAGE = ("section", "author", "age")
_BY_READER = "plan"
_CONSENTS = (
    f"C{{}}AfKABENB-EgAPIAAAAAAAYgF5oI{'A' * 134}gAAAA",
    "C{}AfKABENB-EgAAAAAAAAAAAYgAAoAAAAA",
)
"""TC strings of readers who grant everything, and of those who refuse, without the twelve characters of their times."""
_GRANTING = 0.7
_AT_HOME = 0.8
"""Share of readers whose language is the usual one of their country."""


@dataclass(frozen=True, slots=True)
class _Reader:
    system: int
    agent: str
    language: str
    country: str
    address: str
    plan: str
    consent: str
    """A TC string; empty where the reader has none."""


@dataclass(frozen=True, slots=True)
class _Page:
    number: int
    slots: tuple[str, ...]
    keywords: tuple[str, ...]
    key_values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Heads:
    requests: list[bytes]
    signatures: int
    """Distinct opportunities among them, by what may be targeted: page, slot, country, agent, language, plan."""


def serve_heads(
    world: World, count: int, *, seed: int, even: bool = False, consent: bool = False
) -> Heads:
    """
    *count* distinct heads over user agents, addresses, languages, referrers, slots, keywords and key-values. A proxy's
    header carries the address.

    How often readers and pages recur follows Zipf-like laws, as on real sites: for pages with exponent 1 (Arlitt and
    Williamson, 1996), for readers with 0.8, within the range found for users of proxies (Breslau et al., 1999). *even*:
    readers and browser versions are spread evenly instead, which no site sees: the hardest case. *consent*: each reader
    has a TC string, which no other has.
    """
    rng = random.Random(seed)
    strings = random.Random(seed)
    consents = [_consent(strings) if consent else "" for _ in range(_READERS)]
    readers = [_reader(rng, text, even=even) for text in consents]
    pages = [_page(world, rng, number) for number in range(_PAGES)]
    views = rng.choices(pages, [1 / rank for rank in range(1, _PAGES + 1)], k=count)
    often = None if even else [rank**-_RETURNING for rank in range(1, _READERS + 1)]
    visits = rng.choices(readers, often, k=count)
    requests, signatures = [], set()
    for number, (page, reader) in enumerate(zip(views, visits, strict=True)):
        slot = rng.choice(page.slots)
        requests.append(_serve_request(world, slot, page, reader, number))
        reported = reader.country, reader.system, reader.language, reader.plan
        signatures.add((page.number, slot, *reported))
    return Heads(requests, len(signatures))


def track_requests(world: World, count: int, *, now_ms: int, seed: int) -> list[bytes]:
    """*count* impressions with valid, distinct tokens, signed with the world's secret."""
    rng = random.Random(seed)
    return [_track_request(world, rng, now_ms) for _ in range(count)]


def _reader(rng: random.Random, consent: str, *, even: bool) -> _Reader:
    country = skewed(rng, COUNTRIES)
    usual = COUNTRIES.index(country) % len(_LANGUAGES)
    system = rng.choices(range(len(_AGENTS)), None if even else _SHARES)[0]
    version = rng.choice(_VERSIONS) if even else skewed(rng, _VERSIONS)
    return _Reader(
        system,
        _AGENTS[system].format(v=version),
        _LANGUAGES[usual] if rng.random() < _AT_HOME else skewed(rng, _LANGUAGES),
        country,
        address_in(country, rng),
        skewed(rng, VALUES[_BY_READER]),
        consent,
    )


def _page(world: World, rng: random.Random, number: int) -> _Page:
    slots = tuple(slot.key for slot in rng.sample(world.slots, _SLOTS_OF_PAGE))
    keywords = tuple(rng.sample(WORDS, rng.randint(3, 8)))
    return _Page(number, slots, keywords, tuple((k, rng.choice(VALUES[k])) for k in _BY_PAGE))


def _consent(rng: random.Random) -> str:
    times = base64.urlsafe_b64encode(rng.randbytes(9)).decode()
    return _CONSENTS[rng.random() >= _GRANTING].format(times)


def _serve_request(world: World, slot: str, page: _Page, reader: _Reader, number: int) -> bytes:
    signals = f"&gdpr=1&gdpr_consent={reader.consent}" if reader.consent else ""
    pairs = "".join(f"&kv.{key}={value}" for key, value in page.key_values)
    return (
        f"GET /v1/serve?slot={slot}&keywords={','.join(page.keywords)}{pairs}&kv.{_BY_READER}={reader.plan}{signals}"
        f"&url=https%3A%2F%2Fbench.example%2F{page.number}%3Fvisit%3D{number} HTTP/1.1\r\n"
        f"Host: edge.bench.example\r\nX-Service-Key: {world.key_text}\r\nX-Forwarded-For: {reader.address}\r\n"
        f"User-Agent: {reader.agent}\r\nAccept-Language: {reader.language}\r\n"
        f"Referer: https://bench.example/page/{page.number}\r\nAccept: */*\r\n\r\n"
    ).encode()


def _track_request(world: World, rng: random.Random, now_ms: int) -> bytes:
    ad = rng.choice(world.ads)
    payload = TokenPayload(
        is_test=False,
        consent_limited=False,
        preview=False,
        surface=Surface.WEB,
        source=Source.AUCTION,
        pricing_model=PricingModel.CPM,
        format=Format.BANNER,
        kid=world.kid,
        issued_ms=now_ms,
        life_s=world.property.token_ttl_seconds,
        click_life_s=14_400,
        token_id=uuid4(),
        property_id=UUID(world.property.id),
        slot_id=UUID(rng.choice(world.slots).id),
        ad_id=UUID(ad.id),
        campaign_id=UUID(ad.campaign_id),
        price_micros=1000,
        snapshot_version=1,
        marks=0,
    )
    token = sign_token(payload, world.secret).track
    body = orjson.dumps({"token": token, "event": "impression"})
    head = (
        f"POST /v1/track HTTP/1.1\r\nHost: edge.bench.example\r\nX-Service-Key: {world.key_text}\r\n"
        f"User-Agent: {_agent(rng)}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _agent(rng: random.Random) -> str:
    return rng.choice(_AGENTS).format(v=rng.randint(100, 145))
