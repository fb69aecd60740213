"""SDK keys and integration keys: separate in the API, one section in the dashboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.contract.operation import Operation
from common.values.errors import not_found
from control.dashboard.page_request import PageRequest
from control.inventory.api_keys import integration_operations, operations
from control.inventory.api_keys.queries import INTEGRATION_KINDS, SDK_KINDS


@dataclass(frozen=True, slots=True)
class Family:
    """The operations of one family of keys."""

    name: str
    listed: Operation
    read: Operation
    create: Operation
    patch: Operation
    rotate: Operation
    revoke: Operation
    kinds: Sequence[str]
    """Values of a key's ``kind``."""


SDK = Family(
    "sdk",
    operations.LIST_SDK,
    operations.GET_SDK,
    operations.CREATE_SDK,
    operations.PATCH_SDK,
    operations.ROTATE_SDK,
    operations.REVOKE_SDK,
    SDK_KINDS,
)
INTEGRATION = Family(
    "integration",
    integration_operations.LIST_INTEGRATION,
    integration_operations.GET_INTEGRATION,
    integration_operations.CREATE_INTEGRATION,
    integration_operations.PATCH_INTEGRATION,
    integration_operations.ROTATE_INTEGRATION,
    integration_operations.REVOKE_INTEGRATION,
    INTEGRATION_KINDS,
)
FAMILIES: Mapping[str, Family] = {family.name: family for family in (SDK, INTEGRATION)}


def get_family(view: PageRequest) -> Family:
    """The family in the address. Raises the 404."""
    family = FAMILIES.get(view.path["family"])
    if family is None:
        raise not_found()
    return family


def family_of(kind: str) -> Family:
    """The family of a kind of key, as a form names it."""
    return INTEGRATION if kind == "integration" else SDK
