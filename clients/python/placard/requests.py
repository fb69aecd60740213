"""What a request says about a visitor, and the answer to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from placard.types import NoFillReason, ServedAd

QueryValue: TypeAlias = "str | int | bool | Sequence[str] | None"
Query: TypeAlias = "Mapping[str, QueryValue]"


@dataclass(frozen=True, slots=True)
class Consent:
    """
    The visitor's choices as your page or app has them; None: no signal. Without any, nothing is personalised unless the
    property's consent policy says so.

    ``lgpd``: True, False, or a TC string. ``gpp_sid``: section ids, comma-separated. ``gpc``: Global Privacy Control,
    the visitor's `Sec-GPC: 1`.
    """

    gdpr: bool | None = None
    gdpr_consent: str | None = None
    gpp: str | None = None
    gpp_sid: str | None = None
    us_privacy: str | None = None
    coppa: bool | None = None
    lgpd: bool | str | None = None
    npa: bool | None = None
    gpc: bool | None = None

    def to_query(self) -> dict[str, str]:
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "gpc"}
        return {name: _flag(value) for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Visitor:
    """
    The person who sees the ad, made once for each request that your server receives.

    ``ip`` and ``ua`` are theirs, not your server's: without them all visitors are where your server is, and the traffic
    filter judges your server. ``uid``: your own opaque id of them, for frequency caps. ``lang``: as in
    `Accept-Language`.
    """

    ip: str | None = None
    ua: str | None = None
    uid: str | None = None
    lang: str | None = None
    segments: Sequence[str] = ()
    consent: Consent = field(default_factory=Consent)


@dataclass(frozen=True, slots=True)
class Decision:
    """
    ``ad`` None: no fill, which is no error; show nothing. ``no_fill_reason`` and ``decision_id`` of a no-fill are there
    for test keys, and for secret keys with ``debug``.
    """

    ad: ServedAd | None
    no_fill_reason: NoFillReason | str | None = None
    decision_id: str | None = None


def serve_query(
    slots: Sequence[str],
    visitor: Visitor | None,
    *,
    key_values: Mapping[str, str | Sequence[str]] | None,
    terms: Query,
) -> list[tuple[str, str]]:
    """The query of a serve request, in a fixed order."""
    person = visitor or Visitor()
    pairs = [("slot", ",".join(slots))]
    pairs += query_pairs(terms)
    for name, values in (key_values or {}).items():
        texts = [values] if isinstance(values, str) else values
        pairs += [(f"kv.{name}", text) for text in texts]
    own = {"ip": person.ip, "ua": person.ua, "uid": person.uid, "lang": person.lang}
    pairs += query_pairs({**own, "segments": person.segments or None})
    return [*pairs, *person.consent.to_query().items()]


def query_pairs(query: Query) -> list[tuple[str, str]]:
    """Without those that are None; lists are comma-separated."""
    return [(name, _text(value)) for name, value in query.items() if value is not None]


def _text(value: str | float | Sequence[str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ",".join(value)


def _flag(value: bool | str) -> str:  # noqa: FBT001 - True is sent as 1
    return value if isinstance(value, str) else str(int(value))
