"""From a request to what targeting is held against: what the caller says, and what its address and headers show."""

from common.decision.opportunity import Signals
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.http.call import Call
from edge.opportunity.device import UNKNOWN_DEVICE, device_of
from edge.opportunity.languages import languages_of
from edge.opportunity.told import Told
from edge.ports import NOWHERE

_NO_WORDS: frozenset[str] = frozenset()


def signals_of(
    edge: EdgeContext, call: Call, admission: Admission, told: Told, *, personal: bool
) -> Signals:
    """
    Never waits. *personal* False: nothing that was gathered about the reader is in it.

    The other end of a server's connection is the customer's machine, not the reader: a server that says no ``ip``
    gets no place. Its headers count as the reader's, for it may pass them on; those of its own program name no device.
    """
    address = told.address if admission.is_server else admission.client.ip
    place = edge.geo.find(address) if address else NOWHERE
    agent = told.user_agent or admission.client.user_agent
    device = device_of(agent) if agent else UNKNOWN_DEVICE
    return Signals(
        place.country,
        place.region,
        device.type,
        device.os,
        device.browser,
        told.languages or languages_of(call.headers.get("accept-language") or ""),
        told.keywords,
        told.key_values,
        told.segments if personal else _NO_WORDS,
    )
