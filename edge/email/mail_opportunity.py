"""The opportunity of one slot in one recipient's mail, and its signals."""

from common.decision.rules.ad_limits import AdLimits
from common.decision.rules.opportunity import Opportunity, Signals
from common.privacy.consent import Consent, ConsentSignals, decide_consent
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format, Surface
from common.values.environment import Environment
from edge.email.links import MailSignals
from edge.email.prepare_body import Recipient
from edge.ports import GeoLocation
from edge.request.call import Caller
from edge.request.device import UNKNOWN_DEVICE
from edge.serving.opportunity import client_signals


def consent_of(signals: ConsentSignals | None, vendor_id: int | None) -> Consent:
    """
    The consent of a mailing. Without signals the sender's own word counts: a ``uid`` that it sends may be used.

    *vendor_id*: `EdgeSettings.tcf_vendor_id`.
    """
    return decide_consent(
        signals or ConsentSignals(), presumed=signals is None, vendor_id=vendor_id
    )


def mail_signals(recipient: Recipient) -> MailSignals:
    pairs = tuple((name, tuple(sorted(values))) for name, values in recipient.key_values.items())
    return MailSignals(recipient.country, recipient.languages, pairs)


def signals_of(stated: MailSignals, reader: Caller | None = None) -> Signals:
    """*reader*: the program that shows the mail. The languages are those that the sender stated."""
    place = GeoLocation(stated.country, None)
    if reader is None:
        signals = client_signals(place, UNKNOWN_DEVICE, ())
    else:
        signals = client_signals(place, reader.device, reader.signals)
    signals.languages = stated.languages
    signals.key_values = {name: frozenset(values) for name, values in stated.key_values}
    return signals


def mail_opportunity(
    environment: Environment,
    prop: Property,
    slot: Slot,
    signals: Signals,
    *,
    limited: bool,
    child_directed: bool,
    measured: bool,
    room: tuple[int, int] | None = None,
    is_exact: bool = False,
) -> Opportunity:
    """
    *room*: width and height of the image in the mail; None where they follow from the ad. *is_exact*: only an ad of
    this size fits, as the mail would scale another.
    """
    width, height = room or (None, None)
    return Opportunity(
        environment,
        prop,
        slot,
        Format.EMAIL,
        width,
        height,
        Surface.EMAIL,
        None,
        limited,
        child_directed,
        signals,
        surface_named=True,
        measured=measured,
        limits=AdLimits(size=room) if is_exact else None,
    )


def move_to(snapshot: Snapshot, opportunity: Opportunity) -> None:
    """Gives *opportunity* its property and its slot as they are in *snapshot*; one that was deleted stays."""
    prop, slot = opportunity.property, opportunity.slot
    opportunity.property = snapshot.properties.get(prop.id, prop)
    opportunity.slot = snapshot.slots.get(slot.id, slot)
