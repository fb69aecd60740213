"""The operations on SDK keys, as the API description shows them. For signed-in users only."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Method, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page
from control.inventory.api_keys.examples import (
    KEY_PATCH,
    ROTATED_KEY,
    SDK_KEY,
    SDK_KEY_BODY,
    patched,
    revoked,
)
from control.inventory.api_keys.schemas import (
    KeyPatch,
    SdkKeyCreate,
    SdkKeyCreated,
    SdkKeyList,
    SdkKeyPublic,
)

READS = {Auth.ACCESS_TOKEN: Permission.KEY_READ}
WRITES = {Auth.ACCESS_TOKEN: Permission.KEY_WRITE}
_ETAG = {"ETag": "Version of the object, for `If-Match`."}
MADE = {**_ETAG, "Location": "Path of the new key."}
_CHANGES = (
    "Changes the name and the expiry; a key's kind, property, environment and scopes never change. Omitted fields "
    "keep their value; null removes `expires_at`. Only active keys can be changed."
)


@dataclass(frozen=True, slots=True)
class KeyOperations:
    """The operations on one key, which differ only in the kind of key."""

    name: str
    """``SdkKey`` or ``IntegrationKey``, as operation ids have it."""
    noun: str
    """With its article, as summaries have it."""
    path: str
    model: type[BaseModel]
    example: dict[str, Any]

    def get(self) -> Operation:
        return self._operation("get", "Read", "GET", self._answer("The key.", self.example), READS)

    def patch(self) -> Operation:
        return self._operation(
            "update",
            "Change",
            "PATCH",
            self._answer("The updated key.", patched(self.example)),
            description=_CHANGES,
            body=KeyPatch,
            body_example=KEY_PATCH,
            errors=(ErrorCode.INVALID_STATE,),
            needs_version=True,
        )

    def revoke(self, description: str) -> Operation:
        return self._operation(
            "revoke",
            "Revoke",
            "POST",
            self._answer("The revoked key.", revoked(self.example)),
            end="/revoke",
            description=description,
            errors=(ErrorCode.INVALID_STATE,),
            accepts_version=True,
        )

    def rotate(self, description: str, model: type[BaseModel], example: Any) -> Operation:
        text = "The replacement key with its text."
        return self._operation(
            "rotate",
            "Rotate",
            "POST",
            Answer(200, text, model, headers=_ETAG, example=example),
            end="/rotate",
            description=description,
            errors=(ErrorCode.INVALID_STATE,),
            accepts_version=True,
            creates=True,
        )

    def _answer(self, text: str, example: Any) -> Answer:
        return Answer(200, text, self.model, headers=_ETAG, example=example)

    def _operation(  # noqa: PLR0917 - what each operation has
        self,
        verb: str,
        title: str,
        method: Method,
        answer: Answer,
        needs: dict[Auth, Permission] = WRITES,
        end: str = "",
        **more: Any,
    ) -> Operation:
        return Operation(
            id=f"{verb}{self.name}",
            method=method,
            path=f"{self.path}/{{id}}{end}",
            tag="Keys",
            summary=f"{title} {self.noun}",
            needs=needs,
            path_params={"id": "Id of the key."},
            answers=(answer,),
            **more,
        )


CREATE_SDK = Operation(
    id="createSdkKey",
    method="POST",
    path="/v1/sdk-keys",
    tag="Keys",
    summary="Create an SDK key",
    description=(
        "Creates a publishable key for browsers and apps, or a secret key for servers. The text of a secret key is "
        "returned here and never again. A property can have 50 active keys of each kind; to replace one, create a new "
        "key, deploy it, then revoke the old key. A live key serves nothing until its property is verified; "
        "`blocked_by` says so."
    ),
    needs=WRITES,
    body=SdkKeyCreate,
    body_example=SDK_KEY_BODY,
    answers=(
        Answer(201, "The new key with its text.", SdkKeyCreated, headers=MADE, example=SDK_KEY),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.LIMIT_REACHED),
    creates=True,
)

LIST_SDK = Operation(
    id="listSdkKeys",
    method="GET",
    path="/v1/sdk-keys",
    tag="Keys",
    summary="List SDK keys",
    description="Newest first, including revoked keys. Publishable keys include their text.",
    needs=READS,
    query=SdkKeyList,
    answers=(Answer(200, "One page of results.", Page[SdkKeyPublic], example=a_page(SDK_KEY)),),
)

_SDK = KeyOperations("SdkKey", "an SDK key", "/v1/sdk-keys", SdkKeyPublic, SDK_KEY)

GET_SDK = _SDK.get()
PATCH_SDK = _SDK.patch()
REVOKE_SDK = _SDK.revoke(
    "Immediate and permanent: requests with the key return `key_revoked`, on every edge within seconds."
)
ROTATE_SDK = _SDK.rotate(
    "Revokes the key at once and returns its replacement, with its text and with the same name, property, environment "
    "and expiry. Anything still using the old key fails with `key_revoked`; to replace a key without downtime, create "
    "a second key, deploy it, then revoke the first.",
    SdkKeyCreated,
    ROTATED_KEY,
)
