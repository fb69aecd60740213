"""The operations on slots, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page, after
from control.inventory.slots.examples import SLOT, SLOT_BODY, SLOT_PATCH
from control.inventory.slots.schemas import SlotCreate, SlotList, SlotPatch, SlotPublic

_READERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_READERS, Permission.PROPERTY_READ)
_WRITES = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ID = {"id": "Id of the slot."}
_ETAG = {"ETag": "Version of the slot, for `If-Match`."}

CREATE = Operation(
    id="createSlot",
    method="POST",
    path="/v1/slots",
    tag="Slots",
    summary="Create a slot",
    description=(
        "Creates a place on a property that shows one ad. Its key is unique in the property and never changes. Keys "
        "that start with `demo-` are reserved: in test, every property has `demo-always-fill` and `demo-never-fill`."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=SlotCreate,
    body_example=SLOT_BODY,
    answers=(created("The slot.", SlotPublic, SLOT, _ETAG),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS),
    creates=True,
)

LIST = Operation(
    id="listSlots",
    method="GET",
    path="/v1/slots",
    tag="Slots",
    summary="List slots",
    description="Newest first. An integration key sees the slots of its property only.",
    needs=_READS,
    query=SlotList,
    answers=(Answer(200, "One page of results.", Page[SlotPublic], example=a_page(SLOT)),),
)

GET = Operation(
    id="getSlot",
    method="GET",
    path="/v1/slots/{id}",
    tag="Slots",
    summary="Read a slot",
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The slot.", SlotPublic, headers=_ETAG, example=SLOT),),
)

PATCH = Operation(
    id="updateSlot",
    method="PATCH",
    path="/v1/slots/{id}",
    tag="Slots",
    summary="Change a slot",
    description=(
        "Omitted fields keep their value, null clears an optional field, and every other value replaces the old one "
        "completely. `status: archived` stops serving in the slot; `active` resumes it."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=SlotPatch,
    body_example=SLOT_PATCH,
    path_params=_ID,
    answers=(
        Answer(
            200, "The updated slot.", SlotPublic, headers=_ETAG, example=after(SLOT, floor_cents=80)
        ),
    ),
    needs_version=True,
)
