"""The rules of properties, pure: the names each kind needs, payout changes, and when to verify again."""

from collections.abc import Collection, Mapping
from typing import Any

from common.contract.permissions import Permission
from common.values.enums import PropertyKind, PropertyStatus
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.storage.tables.properties import PropertyRow

_NEEDS: dict[PropertyKind, str] = {
    PropertyKind.WEB: "domain",
    PropertyKind.APP: "bundle_id",
    PropertyKind.CTV: "bundle_id",
}


def check_names(row: PropertyRow) -> None:
    """Raises 422: web needs a domain and has no bundle, app and ctv need a bundle id, the others one of the two."""
    faults = _faults(row)
    if faults:
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            Message.joined([fault.message for fault in faults]),
            param=faults[0].param,
            details=tuple(faults),
        )


def check_blocked_ads(row: PropertyRow, known: frozenset[str]) -> None:
    """Raises 422 that names each blocked id that is not in *known*: a typo would block nothing."""
    details = tuple(
        Detail(
            f"blocked_ad_ids.{place}",
            "ad_unknown",
            Message("The account has no ad with this id. Check the id."),
        )
        for place, ad_id in enumerate(row.blocked_ad_ids)
        if ad_id not in known
    )
    if details:
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            Message(
                "Some blocked ads do not belong to the account. Remove or correct those in `details`."
            ),
            param=details[0].param,
            details=details,
        )


def check_payout(
    before: Mapping[str, Any], after: Mapping[str, Any], permissions: Collection[Permission]
) -> bool:
    """Whether the payee or the share changes. Raises 403 if it does and the caller lacks ``billing:write``."""
    if before == after:
        return False
    if Permission.BILLING_WRITE not in permissions:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message(
                "Changing the payee or the share of a property needs the permission `billing:write`. "
                "Ask an owner, or leave `payout` out."
            ),
            param="payout",
        )
    return True


def unverified_by(row: PropertyRow, *, domain: str | None, bundle_id: str | None) -> bool:
    """Whether the change of names from *domain* and *bundle_id* ends a verified status."""
    moved = (row.domain, row.bundle_id) != (domain, bundle_id)
    return moved and row.status == PropertyStatus.VERIFIED


def _faults(row: PropertyRow) -> list[Detail]:
    kind = PropertyKind(row.kind)
    needed = _NEEDS.get(kind)
    found = []
    if needed is not None and getattr(row, needed) is None:
        message = Message("A property of kind {kind} needs a `{field}`.", kind=kind, field=needed)
        found.append(Detail(needed, "required", message))
    if kind is PropertyKind.WEB and row.bundle_id is not None:
        message = Message("A property of kind web has no `bundle_id`. Remove it.")
        found.append(Detail("bundle_id", "not_for_kind", message))
    if needed is None and row.domain is None and row.bundle_id is None:
        message = Message("A property of kind {kind} needs a `domain` or a `bundle_id`.", kind=kind)
        found.append(Detail("domain", "required", message))
    return found
