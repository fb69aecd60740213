"""Converts table rows of privacy requests to their API form."""

from control.identity.privacy_requests.schemas import (
    Found,
    PrivacyKind,
    PrivacyRequestPublic,
    PrivacyStatus,
)
from control.storage.tables.privacy_requests import PrivacyRequestRow


def to_public(row: PrivacyRequestRow) -> PrivacyRequestPublic:
    return PrivacyRequestPublic(
        id=row.id,
        kind=PrivacyKind(row.kind),
        status=PrivacyStatus(row.status),
        uid_hash=row.uid_hash.hex(),
        requested_by=row.requested_by,
        found=[Found(**place) for place in row.found],
        created_at=row.created_at,
        due_at=row.due_at,
        done_at=row.done_at,
    )
