"""
A synthetic day whose every event says beforehand what it is: readers, robots, mail's machines, double clicks, floods.

Each scene is played by clients of its own through the judge that the edge runs, so that a label follows from the scene
alone. Labels of what a budget decides are given in the order of arrival.
"""

import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from common.snapshot.model import Property
from common.tracking.event import EventRecord
from common.tracking.token import TokenPayload, TokenUse
from common.values.enums import EventKind, PricingModel, QualitySignal, Surface
from edge.context import EdgeContext
from edge.tracking.redeem import NO_CONVERSION, RequestEvidence, record_of
from edge.tracking.track_token import Verified
from tests.support.tokens import a_payload

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:132.0) Gecko/20100101 Firefox/132.0"
ROBOTS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "python-requests/2.32.3",
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/131.0.0.0 Safari/537.36",
)
PROXIES = (
    "Mozilla/5.0",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
)
CLOUDS = ("3.8.{}.{}", "34.64.{}.{}", "5.9.{}.{}", "104.131.{}.{}")
SCANNERS = ("52.101.{}.{}", "40.93.{}.{}")
OFFICE = "198.51.100.{}"
RATE = 60
"""Of a client's impressions in a slot and minute, in this day's limits."""
CPM_MICROS, CPC_MICROS, TIGHT_MICROS = 1_000, 70_000, 1_500
_SHOW, _CLICK = EventKind.IMPRESSION, EventKind.CLICK


@dataclass(frozen=True, slots=True)
class Cast:
    """The campaigns played with; ``tight_micros``: the budget of ``tight``."""

    cpm: str
    cpc: str
    tight: str
    ended: str
    test: str
    slot_id: str
    tight_micros: int


@dataclass(slots=True)
class Labelled:
    """``label`` None: stored as no event. ``micros``: what it costs."""

    arrives_ms: int
    record: EventRecord
    label: str | None
    micros: int = 0


@dataclass(slots=True)
class Day:
    live: EdgeContext
    test: EdgeContext
    prop: Property
    cast: Cast
    start_ms: int
    span_ms: int
    rng: random.Random = field(default_factory=lambda: random.Random(20_260_921))
    _clients: int = 0

    def play(self, count: int) -> list[Labelled]:
        """At least *count* events in the order of their arrival, scenes finished."""
        scenes = (
            *[self._reader] * 60,
            *[self._robot, self._cloud, self._stranger, self._prefetch, self._office] * 2,
            *[self._page, self._clock, self._ended, self._limited, self._server, self._late] * 2,
            *[self._mail, self._scanner, self._burst, self._double, self._fast] * 2,
            *[self._tight] * 10,
            *[self._tests] * 6,
            *[self._robot_first, self._replay, self._signal],
        )
        played: list[Labelled] = [*self._flood()]
        while len(played) < count:
            scene: Callable[[], Iterator[Labelled]] = self.rng.choice(scenes)
            played.extend(scene())
        played.sort(key=lambda one: one.arrives_ms)
        self._spend_tight(played)
        return played

    def _reader(self) -> Iterator[Labelled]:
        """Sees an ad; one in five clicks it."""
        me, at_ms = self._client(), self._moment()
        token = self._token(self.cast.cpc, at_ms)
        yield self._event(token, _SHOW, me, at_ms + 700, "ok")
        if self.rng.random() < 0.2:
            yield self._event(token, _CLICK, me, at_ms + 2_500, "ok", micros=CPC_MICROS)
        other = self._token(self.cast.cpm, at_ms)
        yield self._event(other, _SHOW, me, at_ms + 900, "ok", micros=CPM_MICROS)

    def _robot(self) -> Iterator[Labelled]:
        yield self._cpm(self._client(agent=self.rng.choice(ROBOTS)), "bot_user_agent")

    def _cloud(self) -> Iterator[Labelled]:
        yield self._cpm(self._client(ip=self._from(CLOUDS)), "datacenter_ip")

    def _stranger(self) -> Iterator[Labelled]:
        yield self._cpm(self._client(agent=None), "missing_user_agent")
        yield self._cpm(self._client(agent="Toaster"), "unknown_user_agent")

    def _prefetch(self) -> Iterator[Labelled]:
        yield self._cpm(replace(self._client(), prefetch=True), "prefetch")

    def _office(self) -> Iterator[Labelled]:
        yield self._cpm(self._client(ip=self._from((OFFICE,))), "internal_traffic")

    def _page(self) -> Iterator[Labelled]:
        yield self._cpm(replace(self._client(), origin="https://evil.example"), "origin_mismatch")

    def _clock(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms + 20_000)
        yield self._event(token, _SHOW, self._client(), at_ms, "clock_skew")

    def _ended(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.ended, at_ms, surface=Surface.EMAIL)
        yield self._event(token, _SHOW, self._client(), at_ms + 900, "campaign_ended")

    def _limited(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms, consent_limited=True)
        me = self._client()
        yield self._event(token, _SHOW, me, at_ms + 900, "ok_consent_limited", micros=CPM_MICROS)

    def _server(self) -> Iterator[Labelled]:
        """With a secret key, from a cloud, with its own program."""
        me = replace(self._client(agent="curl/8.5.0", ip=self._from(CLOUDS)), server_caller=True)
        yield self._cpm(me, "ok", micros=CPM_MICROS)

    def _late(self) -> Iterator[Labelled]:
        one = self._cpm(self._client(), "ok_late", micros=CPM_MICROS)
        one.arrives_ms += self.rng.randrange(600_000, 1_200_000)
        yield one

    def _mail(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms - 5_000, surface=Surface.EMAIL)
        proxy = self._client(agent=self.rng.choice(PROXIES))
        yield self._event(token, _SHOW, proxy, at_ms, "mail_privacy_proxy")
        reader = self._client(agent="Mozilla/5.0 (X11; rv:102.0) Gecko/20100101 Thunderbird/102.15")
        yield self._event(token, _SHOW, reader, at_ms + 60_000, "ok", micros=CPM_MICROS)

    def _scanner(self) -> Iterator[Labelled]:
        """Comes first; the reader's own click on the same link still counts."""
        at_ms = self._moment()
        token = self._token(self.cast.cpc, at_ms - 60_000, surface=Surface.EMAIL)
        scanner = self._client(ip=self._from((*SCANNERS, *CLOUDS)))
        yield self._event(token, _CLICK, scanner, at_ms, "mail_link_scanner")
        reader = self._client()
        yield self._event(token, _CLICK, reader, at_ms + 90_000, "ok", micros=CPC_MICROS)

    def _burst(self) -> Iterator[Labelled]:
        """A gateway under a browser's name follows every link of a mail at once."""
        me, at_ms = self._client(), self._moment()
        for place in range(5):
            token = self._token(self.cast.cpc, at_ms - 60_000, surface=Surface.EMAIL)
            label = "ok" if place < 2 else "mail_link_scanner"
            micros = CPC_MICROS if label == "ok" else 0
            yield self._event(token, _CLICK, me, at_ms + 100 * place, label, micros=micros)

    def _double(self) -> Iterator[Labelled]:
        me, at_ms, ad_id = self._client(), self._moment(), uuid.uuid4()
        for after_ms, label in ((3_000, "ok"), (3_400, "duplicate_click")):
            token = self._token(self.cast.cpc, at_ms, ad_id=ad_id)
            micros = CPC_MICROS if label == "ok" else 0
            yield self._event(token, _CLICK, me, at_ms + after_ms, label, micros=micros)

    def _fast(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.cpc, at_ms)
        yield self._event(token, _CLICK, self._client(), at_ms + 120, "click_too_fast")

    def _tight(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.tight, at_ms, price_micros=TIGHT_MICROS)
        yield self._event(token, _SHOW, self._client(), at_ms + 800, "tight")

    def _tests(self) -> Iterator[Labelled]:
        """An integrator at work, with whatever program is at hand."""
        at_ms = self._moment()
        token = self._token(self.cast.test, at_ms, is_test=True)
        agent = self.rng.choice((CHROME, None, *ROBOTS, *PROXIES))
        me = self._client(agent=agent, ip=self._from(CLOUDS))
        yield self._event(token, self.rng.choice((_SHOW, _CLICK)), me, at_ms + 5, "ok_test")

    def _robot_first(self) -> Iterator[Labelled]:
        """An invalid event never uses up its token."""
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms)
        robot = self._client(agent=ROBOTS[0])
        yield self._event(token, _SHOW, robot, at_ms + 100, "bot_user_agent")
        yield self._event(token, _SHOW, self._client(), at_ms + 900, "ok", micros=CPM_MICROS)

    def _replay(self) -> Iterator[Labelled]:
        me, at_ms = self._client(), self._moment()
        token = self._token(self.cast.cpm, at_ms)
        yield self._event(token, _SHOW, me, at_ms + 500, "ok", micros=CPM_MICROS)
        yield self._event(token, _SHOW, me, at_ms + 950, None)

    def _signal(self) -> Iterator[Labelled]:
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms)
        yield self._event(token, QualitySignal.VIEWABLE, self._client(), at_ms + 1_500, None)

    def _flood(self) -> Iterator[Labelled]:
        """One client, one slot, one minute of the clock: more than a reader sees."""
        me = self._client()
        minute_ms = (self.start_ms + self.span_ms // 2) // 60_000 * 60_000
        for place in range(RATE + 20):
            at_ms = minute_ms + 200 * place
            label = "ok" if place < RATE else "rate_exceeded"
            token = self._token(self.cast.cpm, at_ms)
            micros = CPM_MICROS if label == "ok" else 0
            yield self._event(token, _SHOW, me, at_ms + 100, label, micros=micros)

    def _spend_tight(self, played: list[Labelled]) -> None:
        """What is charged of each, while the budget lasts."""
        left = self.cast.tight_micros
        for one in played:
            if one.label == "tight":
                one.micros = min(left, TIGHT_MICROS)
                one.label = "ok" if one.micros == TIGHT_MICROS else "ok_over_budget"
                left -= one.micros

    def _cpm(self, me: RequestEvidence, label: str, *, micros: int = 0) -> Labelled:
        at_ms = self._moment()
        token = self._token(self.cast.cpm, at_ms)
        return self._event(token, _SHOW, me, at_ms + 800, label, micros=micros)

    def _event(
        self,
        token: TokenPayload,
        kind: EventKind | QualitySignal,
        me: RequestEvidence,
        at_ms: int,
        label: str | None,
        *,
        micros: int = 0,
    ) -> Labelled:
        edge = self.test if token.is_test else self.live
        verified = Verified(token, str(token.campaign_id), self.prop, TokenUse.TRACK, expired=False)
        record = record_of(edge, verified, kind, me, at_ms, conversion=NO_CONVERSION)
        return Labelled(at_ms, record, label, micros)

    def _token(self, campaign_id: str, issued_ms: int, **changes: Any) -> TokenPayload:
        clicks = campaign_id == self.cast.cpc
        given = {
            "campaign_id": uuid.UUID(campaign_id),
            "property_id": uuid.UUID(self.prop.id),
            "slot_id": uuid.UUID(self.cast.slot_id),
            "issued_ms": issued_ms,
            "pricing_model": PricingModel.CPC if clicks else PricingModel.CPM,
            "price_micros": CPC_MICROS if clicks else CPM_MICROS,
        }
        return a_payload(**given | changes)

    def _client(self, *, agent: str | None = CHROME, ip: str | None = None) -> RequestEvidence:
        """Nobody else has its address."""
        self._clients += 1
        number = self._clients
        own = f"88.{64 + number // 65_536 % 64}.{number // 256 % 256}.{number % 256}"
        origin = "https://shop.example"
        page = f"{origin}/a/private/page"
        return RequestEvidence(ip or own, agent, origin, page, prefetch=False, server_caller=False)

    def _from(self, networks: tuple[str, ...]) -> str:
        number = self.rng.randrange(1, 254)
        return self.rng.choice(networks).format(number, self.rng.randrange(1, 254))

    def _moment(self) -> int:
        return self.start_ms + self.rng.randrange(self.span_ms)
