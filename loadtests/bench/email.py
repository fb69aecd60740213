"""
`make bench-email`: `POST /v1/email/prepare` for a thousand recipients and two slots, an ad decided for each, at a live
worker with a hundred campaigns. A visitor requests ads beside it, one after another.

Each call is a send of its own, so none is a repeat. `BENCH_ROUNDS` sets the number of calls.
"""

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from time import perf_counter

import orjson

from common.snapshot.codec import canonical_json
from common.snapshot.defaults import default_slot
from common.snapshot.model import Ad, Key, Size, Slot
from common.values.enums import Format
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind, new_key
from loadtests.bench.report import Report, percentile
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import edge_alone, make_keys
from loadtests.bench.world import World, make_world

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "40"))
_RECIPIENTS = 1000
_SLOTS = ("newsletter-0", "newsletter-1")
_CAMPAIGNS = 100
_SIZE = Size(600, 200)
_CONTENT = {
    "image_url": "https://brand.example/mail.png",
    "width": _SIZE.width,
    "height": _SIZE.height,
    "alt": "Shoes",
    "text_fallback": "Shoes, half price.",
}


@dataclass(slots=True)
class Visitor:
    """Requests ads one after another; ``latencies_ms`` of them."""

    port: int
    key: str
    latencies_ms: list[float] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self.port)
        while not self._ended.is_set():
            begun_s = perf_counter()
            connection.request("GET", "/v1/serve?slot=slot-0", headers={"X-Service-Key": self.key})
            connection.getresponse().read()
            self.latencies_ms.append((perf_counter() - begun_s) * 1000)
        connection.close()

    def end(self) -> None:
        self._ended.set()


def main() -> int:
    keys = make_keys()
    world, secret = _with_mails(make_world(keys, campaigns=_CAMPAIGNS))
    report = Report("email")
    report.scale = measure_scale()
    with edge_alone(world, keys) as edge:
        alone = Visitor(edge.port, world.key_text)
        _beside(alone, lambda: threading.Event().wait(1.0))
        beside = Visitor(edge.port, world.key_text)
        took_ms = list[float]()
        _prepare(edge.port, secret, -1)  # a warm-up
        _beside(beside, lambda: took_ms.extend(_prepare_all(edge.port, secret)))
    report.figures = {
        "items_per_call": float(_RECIPIENTS * len(_SLOTS)),
        "prepare_p50_ms": percentile(took_ms, 0.5),
        "prepare_p95_ms": percentile(took_ms, 0.95),
        "serve_alone_p50_ms": percentile(alone.latencies_ms, 0.5),
        "serve_beside_p50_ms": percentile(beside.latencies_ms, 0.5),
        "serve_beside_p99_ms": percentile(beside.latencies_ms, 0.99),
        "serve_beside_worst_ms": max(beside.latencies_ms),
    }
    report.reach = {"max_prepare_p95_ms": 250.0, "max_serve_beside_p99_ms": 10.0}
    return report.print()


def _beside(visitor: Visitor, work: Callable[[], object]) -> None:
    """Runs *work* while *visitor* requests ads."""
    thread = threading.Thread(target=visitor.run)
    thread.start()
    try:
        work()
    finally:
        visitor.end()
        thread.join()


def _prepare_all(port: int, secret: str) -> list[float]:
    return [_prepare(port, secret, number) for number in range(_ROUNDS)]


def _prepare(port: int, secret: str, number: int) -> float:
    """Milliseconds until the whole response was read."""
    people = [
        {"ref": f"{number}-{one}", "uid": f"person-{one}", "country": "BR", "lang": "pt-BR"}
        for one in range(_RECIPIENTS)
    ]
    body = orjson.dumps({"slots": _SLOTS, "send_id": f"bench-{number}", "recipients": people})
    connection = HTTPConnection("127.0.0.1", port)
    connection.connect()
    begun_s = perf_counter()
    connection.request(
        "POST", "/v1/email/prepare", body, headers={"Authorization": f"Bearer {secret}"}
    )
    answer = connection.getresponse()
    raw = answer.read()
    took_ms = (perf_counter() - begun_s) * 1000
    connection.close()
    if answer.status != 200 or orjson.loads(raw)["filled"] != _RECIPIENTS * len(_SLOTS):
        raise SystemExit(f"not all mails were filled: {answer.status} {raw[:300]!r}")
    return took_ms


def _with_mails(world: World) -> tuple[World, str]:
    """*world* with slots and ads for mails, and the text of a secret key."""
    place = world.property
    slots = tuple(
        default_slot(new_id(), place.id, name, formats=(Format.EMAIL,), sizes=(_SIZE,))
        for name in _SLOTS
    )
    ads = tuple(_mail_ad(ad, slots, number) for number, ad in enumerate(world.ads))
    text = new_key(KeyKind.SECRET, Environment.LIVE)
    key = Key(
        new_id(),
        hashlib.sha256(text.text.encode()).hexdigest(),
        KeyKind.SECRET,
        Environment.LIVE,
        place.id,
        place.account_id,
        None,
        None,
    )
    return replace(world, objects=(*world.objects, *slots, *ads, key)), text.text


def _mail_ad(ad: Ad, slots: tuple[Slot, ...], number: int) -> Ad:
    return replace(
        ad,
        id=new_id(),
        format=Format.EMAIL,
        width=_SIZE.width,
        height=_SIZE.height,
        content=canonical_json(_CONTENT),
        advertiser_domain=f"brand-{number}.example",
        slot_ids=tuple(slot.id for slot in slots),
    )


if __name__ == "__main__":
    sys.exit(main())
