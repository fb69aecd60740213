"""Requests whose heads vary, so that no cache of whole requests decides a figure."""

import random
from uuid import UUID, uuid4

import orjson

from common.tracking.token import TokenPayload, sign_token
from common.vocabulary import Format, PricingModel, Source, Surface
from loadtests.bench.world import World

_AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/{v}.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:{v}.0) Gecko/20100101 Firefox/{v}.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/{v}.1 Safari/605.1.15",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/{v}.0.0.0 Mobile Safari/537.36",
)
_LANGUAGES = ("en-GB,en;q=0.9", "de-DE,de;q=0.8", "fr,en;q=0.5", "pt-BR", "ja")


def serve_requests(world: World, count: int, *, seed: int) -> list[bytes]:
    """*count* distinct heads over user agents, languages, referrers, slots and key-values."""
    rng = random.Random(seed)
    return [_serve_request(world, rng, number) for number in range(count)]


def track_requests(world: World, count: int, *, now_ms: int, seed: int) -> list[bytes]:
    """*count* impressions with valid, distinct tokens, signed with the world's secret."""
    rng = random.Random(seed)
    return [_track_request(world, rng, now_ms) for _ in range(count)]


def _serve_request(world: World, rng: random.Random, number: int) -> bytes:
    slot = rng.choice(world.slots).key
    return (
        f"GET /v1/serve?slot={slot}&kv.page={number}&url=https%3A%2F%2Fbench.example%2F{number} HTTP/1.1\r\n"
        f"Host: edge.bench.example\r\nX-Service-Key: {world.key_text}\r\n"
        f"User-Agent: {_agent(rng)}\r\nAccept-Language: {rng.choice(_LANGUAGES)}\r\n"
        f"Referer: https://bench.example/page/{number}\r\nAccept: */*\r\n\r\n"
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
        client_hash=0,
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
