"""Builds the signals that targeting reads, from the request's parameters, address and headers."""

from typing import Final

from common.decision.rules.opportunity import Signals
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.ports import NOWHERE
from edge.request.call import Caller
from edge.request.client_hints import ClientHints
from edge.request.device import device_of

_NO_WORDS: Final[frozenset[str]] = frozenset()


def signals_of(
    edge: EdgeContext,
    caller: Caller,
    admission: Admission,
    languages: tuple[str, ...],
    told: ClientHints,
    *,
    personal: bool,
) -> Signals:
    """
    Never waits. *languages*: those that the query names. With *personal* False, the signals contain nothing that was
    gathered about the user.

    The peer of a server's connection is the customer's machine, not the user: without ``ip`` there is no place. The
    headers of a server count as the user's, because it may forward them; those of its own program name no device.
    """
    address = told.address
    if address is None and not admission.is_server:
        address = admission.client.ip
    place = edge.geo.find(address) if address else NOWHERE
    device = device_of(told.user_agent) if told.user_agent else caller.device
    return Signals(
        place.country,
        place.region,
        device.type,
        device.os,
        device.browser,
        languages or caller.languages,
        told.keywords,
        told.key_values,
        told.segments if personal else _NO_WORDS,
    )
