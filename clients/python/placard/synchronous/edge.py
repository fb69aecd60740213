# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""Ads for visitors, and what happens to them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx

from placard import types
from placard.calls import Call
from placard.requests import Decision, Query, Visitor, serve_query
from placard.retries import Retries
from placard.synchronous.operations import EdgeOperations
from placard.synchronous.transport import (
    Closeable,
    Sleep,
    Transport,
    blocking_sleep,
    monotonic,
)


class EdgeClient(Closeable, EdgeOperations):
    """
    *key*: a secret key (`sk_`), or a publishable key (`pk_`) of a property with server rendering. *edge_url*: the edge
    of the key's environment. *timeout_s*: for connecting, and for each wait for data. *http*: your own connections,
    which you close yourself.
    """

    def __init__(
        self,
        key: str,
        *,
        edge_url: str,
        timeout_s: float = 3.0,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
        sleep: Sleep = blocking_sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        transport = Transport(
            edge_url,
            key,
            kinds=("pk_", "sk_"),
            server="The edge",
            timeout_s=timeout_s,
            retries=retries or Retries(),
            http=http,
            sleep=sleep,
            monotonic=clock,
        )
        Closeable.__init__(self, transport)
        EdgeOperations.__init__(self, transport)

    def serve(
        self,
        slot: str,
        visitor: Visitor | None = None,
        *,
        format: types.AdFormat | str | None = None,
        width: int | None = None,
        height: int | None = None,
        keywords: Sequence[str] = (),
        key_values: Mapping[str, str | Sequence[str]] | None = None,
        surface: types.Surface | str | None = None,
        url: str | None = None,
        preview_ad: str | None = None,
        debug: bool = False,
        test_scenario: types.ServeScenario | str | None = None,
    ) -> Decision:
        """The ad for *visitor* in *slot*, which is a key or an id. The consent of *visitor* is sent every time."""
        terms: Query = {
            "format": format,
            "w": width,
            "h": height,
            "keywords": keywords or None,
            "surface": surface,
            "url": url,
            "preview_ad": preview_ad,
            "debug": "1" if debug else None,
            "test_scenario": test_scenario,
        }
        query = serve_query([slot], visitor, key_values=key_values, terms=terms)
        answer = self._transport.send(_serve(query, visitor))
        ad: types.ServedAd | None = answer.body
        reason, decision_id = map(answer.headers.get, ("x-no-fill-reason", "x-decision-id"))
        return Decision(ad, reason, ad["decision_id"] if ad else decision_id)

    def serve_slots(
        self,
        slots: Sequence[str],
        visitor: Visitor | None = None,
        *,
        keywords: Sequence[str] = (),
        key_values: Mapping[str, str | Sequence[str]] | None = None,
        surface: types.Surface | str | None = None,
        url: str | None = None,
        debug: bool = False,
    ) -> list[types.SlotAnswer]:
        """For two to ten slots of one page, in their order; no advertiser comes twice unless there is no other."""
        if len(slots) < 2:
            raise ValueError("serve_slots takes two slots or more. Use serve for one.")
        terms: Query = {
            "keywords": keywords or None,
            "surface": surface,
            "url": url,
            "debug": "1" if debug else None,
        }
        query = serve_query(slots, visitor, key_values=key_values, terms=terms)
        answer = self._transport.request(_serve(query, visitor))
        found: list[types.SlotAnswer] = answer["data"]
        return found

    def track(
        self,
        token: str,
        event: types.EventKind | types.QualitySignal | str,
        visitor: Visitor | None = None,
        *,
        value_cents: int | None = None,
        currency: str | None = None,
        order_id: str | None = None,
    ) -> None:
        """
        Reports *event* of the ad with this `track_token`. It counts once, however often it is sent. *visitor*: who did
        it; the traffic filter judges by their address and user agent.
        """
        body = _event(token, event, visitor, value_cents, currency, order_id)
        self._transport.send(Call("POST", "/v1/track", body=body, repeatable=True))

    def track_batch(self, events: Sequence[types.TrackRequest]) -> Sequence[types.TrackResult]:
        """Up to 50 events at once; one result for each, in their order. A refused event raises nothing."""
        body = {"events": list(events)}
        call = Call("POST", "/v1/track/batch", body=body, repeatable=True)
        found: Sequence[types.TrackResult] = (self._transport.request(call))["results"]
        return found


def _serve(query: list[tuple[str, str]], visitor: Visitor | None) -> Call:
    controlled = visitor is not None and visitor.consent.gpc
    headers = {"Sec-GPC": "1"} if controlled else {}
    return Call("GET", "/v1/serve", query, headers=headers, repeatable=True)


def _event(
    token: str,
    event: str,
    visitor: Visitor | None,
    value_cents: int | None,
    currency: str | None,
    order_id: str | None,
) -> dict[str, Any]:
    person = visitor or Visitor()
    found = {
        "token": token,
        "event": event,
        "ip": person.ip,
        "ua": person.ua,
        "value_cents": value_cents,
        "currency": currency,
        "order_id": order_id,
    }
    return {name: value for name, value in found.items() if value is not None}
