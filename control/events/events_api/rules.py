"""Classes of invalid traffic, from the reason of a stored event."""

from common.values.enums import Reason
from control.events.events_api.schemas import IvtClass

_NO_TRAFFIC_VERDICT = frozenset(
    {Reason.CONSENT_DENIED, Reason.CAMPAIGN_ENDED, Reason.CLOCK_SKEW, Reason.RETRACTED}
)


def ivt_class_of(reason: Reason) -> IvtClass:
    """The filter detects general invalid traffic only, so no event is classified as sophisticated yet."""
    if reason.valid or reason in _NO_TRAFFIC_VERDICT:
        return IvtClass.NONE
    return IvtClass.GIVT
