"""The operations on properties, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page, after
from control.inventory.properties.examples import (
    PROPERTY,
    PROPERTY_BODY,
    PROPERTY_PATCH,
    RATE_LIMITS,
)
from control.inventory.properties.schemas import (
    PropertyCreate,
    PropertyList,
    PropertyPatch,
    PropertyPublic,
)

_READERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_READERS, Permission.PROPERTY_READ)
_WRITERS = (Auth.ACCESS_TOKEN,)
_WRITES = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ID = {"id": "The property's id."}
_ETAG = {"ETag": "The property's version, for `If-Match`."}

CREATE = Operation(
    id="createProperty",
    method="POST",
    path="/v1/properties",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Register a property",
    description=(
        "A site or app. It is born `unverified`, with a shared secret of its own that signs its tracking tokens and "
        "is never shown; until it is verified only test traffic is served."
    ),
    auth=_WRITERS,
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=PropertyCreate,
    body_example=PROPERTY_BODY,
    answers=(
        Answer(
            201,
            "The property, unverified.",
            PropertyPublic,
            headers={**_ETAG, "Location": "Its path."},
            example=PROPERTY,
        ),
    ),
    creates=True,
)

LIST = Operation(
    id="listProperties",
    method="GET",
    path="/v1/properties",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="List properties",
    description="Newest first. An integration key sees its own.",
    auth=_READERS,
    needs=_READS,
    query=PropertyList,
    answers=(Answer(200, "A page.", Page[PropertyPublic], example=a_page(PROPERTY)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getProperty",
    method="GET",
    path="/v1/properties/{id}",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Read a property",
    auth=_READERS,
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The property.", PropertyPublic, headers=_ETAG, example=PROPERTY),),
)

PATCH = Operation(
    id="updateProperty",
    method="PATCH",
    path="/v1/properties/{id}",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Change a property",
    description=(
        "An absent field stays as it is, null clears one that may be empty. `rate_limits` and `payout` merge field "
        "by field; every other value replaces the old one whole. Another domain or bundle id must be verified again. "
        "Changing `payout` needs `billing:write` too, is told to the owners by mail, and leaves old and new in the "
        "audit log."
    ),
    auth=_WRITERS,
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=PropertyPatch,
    body_example=PROPERTY_PATCH,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The property as it is now.",
            PropertyPublic,
            headers=_ETAG,
            example=after(PROPERTY, rate_limits=RATE_LIMITS | {"serve_per_key_s": 2000}),
        ),
    ),
    errors=(ErrorCode.PERMISSION_DENIED,),
    needs_version=True,
)
