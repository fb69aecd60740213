"""Consent of one request: all its consent signals together, decided once for equal signals."""

from functools import lru_cache
from typing import Final, final

from common.privacy.consent import Consent, ConsentSignals, decide_consent
from common.snapshot.model import Property
from edge.request.call import Caller
from edge.request.query import Query

_PRESUMED: Final = "presumed"
NAMES: Final = frozenset(ConsentSignals._fields) - {"gpc", "dnt"}
"""Names of the query parameters that are consent signals."""
_KEPT: Final = 4096
_MAX_KEPT_CHARS: Final = 4096
"""Longest sum of a request's signals that is cached, so that clients cannot fill the memory."""

_Text = str | None
_Texts = tuple[_Text, _Text, _Text, _Text, _Text, _Text, _Text, _Text]
"""The fields of `ConsentSignals` that come from the query."""


def presumes_consent(prop: Property) -> bool:
    """Whether the property vouches for the consent of requests without a signal."""
    return prop.consent_policy == _PRESUMED


@final
class ConsentSignalsKey:
    """The consent signals of a query, with their decisions by the client's headers and the property's policy."""

    def __init__(self, texts: _Texts, *, kept: bool) -> None:
        self._texts = texts
        self._kept = kept
        self._decided: dict[tuple[bool, bool, str, int | None], Consent] = {}

    def decide(
        self,
        caller: Caller,
        consent_policy: str,
        vendor_id: int | None,
        *,
        limits_tracking: bool = False,
    ) -> Consent:
        """
        *vendor_id*: `EdgeSettings.tcf_vendor_id`. *limits_tracking*: a device's setting, which means what ``DNT`` does.
        Never waits, never raises.
        """
        key = (caller.gpc, caller.dnt or limits_tracking, consent_policy, vendor_id)
        consent = self._decided.get(key)
        if consent is None:
            decide = _decide_kept if self._kept else _decide
            consent = self._decided[key] = decide(self._texts, *key)
        return consent


_NO_SIGNALS: Final = ConsentSignalsKey((None, None, None, None, None, None, None, None), kept=True)


def consent_signals_key(query: Query) -> ConsentSignalsKey:
    """The consent parameters of *query* as a key of the cache. Long ones are decided each time."""
    value = query.values.get
    if NAMES.isdisjoint(query.values):
        return _NO_SIGNALS
    texts = (
        value("gdpr"),
        value("gdpr_consent"),
        value("gpp"),
        value("gpp_sid"),
        value("us_privacy"),
        value("coppa"),
        value("lgpd"),
        value("npa"),
    )
    chars = sum([len(text) for text in texts if text is not None])
    return ConsentSignalsKey(texts, kept=chars <= _MAX_KEPT_CHARS)


def _decide(
    texts: _Texts,
    gpc: bool,  # noqa: FBT001 - a key of what is remembered
    dnt: bool,  # noqa: FBT001 - as above
    consent_policy: str,
    vendor_id: int | None,
) -> Consent:
    signals = ConsentSignals(*texts, gpc, dnt)
    return decide_consent(signals, presumed=consent_policy == _PRESUMED, vendor_id=vendor_id)


_decide_kept = lru_cache(maxsize=_KEPT)(_decide)
