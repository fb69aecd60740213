"""The operations on properties, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, created
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
_WRITES = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ID = {"id": "Id of the property."}
_ETAG = {"ETag": "Version of the property, for `If-Match`."}

CREATE = Operation(
    id="createProperty",
    method="POST",
    path="/v1/properties",
    tag="Properties",
    summary="Create a property",
    description=(
        "Registers a site or app. It starts `unverified`: until it is verified, it serves test traffic only. It has a "
        "shared secret that signs its track tokens and is never shown."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=PropertyCreate,
    body_example=PROPERTY_BODY,
    answers=(created("The new property, unverified.", PropertyPublic, PROPERTY, _ETAG),),
    creates=True,
)

LIST = Operation(
    id="listProperties",
    method="GET",
    path="/v1/properties",
    tag="Properties",
    summary="List properties",
    description="Newest first. An integration key sees its own property only.",
    needs=_READS,
    query=PropertyList,
    answers=(Answer(200, "One page of results.", Page[PropertyPublic], example=a_page(PROPERTY)),),
)

GET = Operation(
    id="getProperty",
    method="GET",
    path="/v1/properties/{id}",
    tag="Properties",
    summary="Read a property",
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The property.", PropertyPublic, headers=_ETAG, example=PROPERTY),),
)

PATCH = Operation(
    id="updateProperty",
    method="PATCH",
    path="/v1/properties/{id}",
    tag="Properties",
    summary="Change a property",
    description=(
        "Omitted fields keep their value, null clears an optional field. `rate_limits`, `payout` and `sdk` are merged "
        "field by field, where `min` and `flags` of `sdk` are one field each; every other value replaces the old one "
        "completely. A new domain or bundle id must be verified again. Changing `payout` also needs `billing:write`, "
        "sends an email to the owners, and records the old and new values in the audit log."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=PropertyPatch,
    body_example=PROPERTY_PATCH,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The updated property.",
            PropertyPublic,
            headers=_ETAG,
            example=after(PROPERTY, rate_limits=RATE_LIMITS | {"serve_per_key_s": 2000}),
        ),
    ),
    errors=(ErrorCode.PERMISSION_DENIED,),
    needs_version=True,
)
