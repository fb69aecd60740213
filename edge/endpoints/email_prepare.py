"""``POST /v1/email/prepare``: chooses the ads of a mailing."""

from sanic import HTTPResponse, Request

from common.http.responses import JSON
from common.snapshot.model import Slot
from common.values.enums import Format
from common.values.errors import Detail
from common.values.messages import Message
from edge.admission.keys import RouteGroup, admit_server
from edge.context import EdgeContext
from edge.email.prepare import prepare
from edge.email.prepare_body import PrepareBody, named_slots, parse_prepare_body
from edge.request.call import call_of
from edge.serving.slots import get_slot
from edge.tracking.track_body import refused_for


async def handle(request: Request) -> HTTPResponse:
    """Counts as one call against the key's serve rate."""
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    admission = admit_server(edge, call_of(request), RouteGroup.SERVE, now_ms)
    named = named_slots(request.body)
    slots = {
        text: get_slot(admission.snapshot, admission.property, text, param) for param, text in named
    }
    body = await parse_prepare_body(request.body)
    prepared = await prepare(edge, admission, _slots_for_mail(body, slots), body, now_ms)
    headers = {"Cache-Control": "no-store"}
    if not prepared.chosen:
        headers["Idempotent-Replayed"] = "true"
    elif prepared.is_lost:
        headers["Idempotency-Lost"] = "true"
    return HTTPResponse(prepared.body, headers=headers, content_type=JSON)


def _slots_for_mail(body: PrepareBody, slots: dict[str, Slot]) -> list[tuple[str, Slot]]:
    """The slots with their names in the request. Raises `Refused` for a slot without mails, or one that comes twice."""
    faults, found = list[Detail](), list[tuple[str, Slot]]()
    for number, text in enumerate(body.slots):
        slot = slots[text]
        param = f"slots.{number}" if body.is_list_of_slots else "slot"
        if Format.EMAIL not in slot.formats:
            message = Message(
                "The slot {slot} has no format email. Add the format to it, or name another slot.",
                slot=slot.key,
            )
            faults.append(Detail(param, "format_mismatch", message))
        if any(slot.id == other.id for _, other in found):
            faults.append(Detail(param, "duplicate", Message("Name each slot once.")))
        found.append((text, slot))
    if faults:
        raise refused_for(faults)
    return found
