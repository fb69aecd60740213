"""Builds the opportunity of a serve request: its surface (ADR 38), and the signals that targeting reads."""

from typing import Final

from common.decision.rules.opportunity import Opportunity, Signals
from common.privacy.consent import Consent
from common.snapshot.model import Slot
from common.values.enums import Surface
from common.values.keys import KeyKind
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.ports import NOWHERE, GeoLocation
from edge.request.call import Caller, HeaderSignals
from edge.request.device import Device, device_of
from edge.serving.serve_query import ServeParams

_SURFACE_OF_PROPERTY: Final = {
    "email": Surface.EMAIL,
    "audio": Surface.AUDIO,
    "ctv": Surface.CTV,
}
_AMP_OUTPUTS: Final = frozenset({"amp", "amp-rtc"})
_APP_AGENTS: Final = (
    ("Dart/", Surface.FLUTTER),
    ("okhttp/", Surface.ANDROID),
    ("Dalvik/", Surface.ANDROID),
    ("Android", Surface.ANDROID),
    ("CFNetwork/", Surface.IOS),
    ("iPhone", Surface.IOS),
    ("iPad", Surface.IOS),
)


def build_opportunity(  # noqa: PLR0917 - all that an opportunity follows from
    edge: EdgeContext,
    caller: Caller,
    admission: Admission,
    params: ServeParams,
    slot: Slot,
    consent: Consent,
) -> Opportunity:
    """
    Never waits. Where *consent* forbids personal ads, the signals contain nothing that was gathered about the user.

    The peer of a server's connection is the customer's machine, not the user: without ``ip`` there is no place. The
    headers of a server count as the user's, because it may forward them; those of its own program name no device.
    """
    tag, prop, user_agent = params.tag, admission.property, params.user_agent
    named = tag.surface if admission.is_believed else None
    if named is None:
        named = caller.library or tag.library
    surface = named
    if surface is None:
        surface = surface_of(
            admission.key.kind, prop.kind, user_agent or caller.user_agent, tag.output
        )
    address = params.address
    if address is None and not admission.is_server:
        address = admission.client.ip
    place = edge.geo.find(address) if address else NOWHERE
    device = device_of(user_agent) if user_agent else caller.device
    signals = client_signals(place, device, caller.signals)
    if tag.languages:
        signals.languages = tag.languages
    for parameter, value in params.signals:
        if consent.personal or not parameter.personal:
            setattr(signals, parameter.signal, value)
    return Opportunity(
        edge.environment,
        prop,
        slot,
        tag.format,
        tag.width,
        tag.height,
        surface,
        tag.preview_ad_id,
        consent.limited,
        consent.child_directed,
        signals,
        surface_named=named is not None,
        measured=consent.measurement,
        limits=tag.limits,
    )


def client_signals(place: GeoLocation, device: Device, of_headers: HeaderSignals) -> Signals:
    """The signals that come from the address and the headers, see `Dimension.of_client`."""
    signals = Signals(place.country, place.region, device.type, device.os, device.browser)
    for name, value in of_headers:
        setattr(signals, name, value)
    return signals


def surface_of(
    kind: KeyKind, property_kind: str, user_agent: str | None, output: str = "json"
) -> Surface:
    """
    The surface of a request that names none: derived from output, key, property and user agent.

    `Opportunity.surface_of` takes the ad's format into account as well.
    """
    if output in _AMP_OUTPUTS:
        return Surface.AMP
    if output == "vast" and property_kind == "ctv":
        return Surface.CTV
    if kind is KeyKind.SECRET:
        return Surface.SERVER
    by_property = _SURFACE_OF_PROPERTY.get(property_kind)
    if by_property is not None:
        return by_property
    if property_kind == "app" and user_agent is not None:
        for mark, surface in _APP_AGENTS:
            if mark in user_agent:
                return surface
    return Surface.WEB
