"""What may be personal about one call: its consent signals taken together, and decided once for all that are alike."""

from functools import lru_cache

from common.privacy.consent import Consent, ConsentSignals, decide_consent
from common.snapshot.model import Property
from edge.http.call import Call

_PRESUMED = "presumed"
_NAMES = frozenset(ConsentSignals._fields) - {"gpc", "dnt"}
_KEPT = 4096
_MOST_KEPT_CHARS = 4096
"""Of a whole query: longer ones are decided without being kept, so that strangers cannot fill the memory."""

_Text = str | None
_Said = tuple[_Text, _Text, _Text, _Text, _Text, _Text, _Text, _Text, bool, bool]
"""The fields of `ConsentSignals`; a plain tuple is made three times as fast."""


def presumes_consent(prop: Property) -> bool:
    """Whether the property vouches for calls that carry no signal."""
    return prop.consent_policy == _PRESUMED


def consent_of(call: Call, prop: Property, vendor_id: int | None) -> Consent:
    """*vendor_id*: `EdgeSettings.tcf_vendor_id`. Never waits, never raises."""
    query, header = call.query, call.headers.get
    gpc, dnt = header("sec-gpc") == "1", header("dnt") == "1"
    said: _Said
    if _NAMES.isdisjoint(query):
        said = (None, None, None, None, None, None, None, None, gpc, dnt)
    else:
        value = query.get
        said = (
            value("gdpr"),
            value("gdpr_consent"),
            value("gpp"),
            value("gpp_sid"),
            value("us_privacy"),
            value("coppa"),
            value("lgpd"),
            value("npa"),
            gpc,
            dnt,
        )
    decide = _decide_kept if len(call.query_string) <= _MOST_KEPT_CHARS else _decide
    return decide(said, prop.consent_policy, vendor_id)


def _decide(said: _Said, consent_policy: str, vendor_id: int | None) -> Consent:
    presumed = consent_policy == _PRESUMED
    return decide_consent(ConsentSignals(*said), presumed=presumed, vendor_id=vendor_id)


_decide_kept = lru_cache(maxsize=_KEPT)(_decide)
