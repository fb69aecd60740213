"""The operation that reads the audit log. For signed-in owners and admins."""

from typing import Any

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from control.foundation.openapi_examples import CAMPAIGN_ID, MADE_AT, USER_ID, a_page
from control.identity.audit_log.schemas import AuditLine, AuditQuery

AUDIT_LINE: dict[str, Any] = {
    "id": "01940b3e-0000-7000-8000-0000000000f1",
    "at": MADE_AT,
    "actor": f"user:{USER_ID}",
    "action": "pauseCampaign",
    "object_type": "campaign",
    "object_id": CAMPAIGN_ID,
    "origin": "203.0.113.7",
    "request_id": "01940b3e-0000-7000-8000-0000000000f2",
    "environment": "live",
    "detail": {"status": {"from": "active", "to": "paused"}},
}

LIST = Operation(
    id="listAuditLog",
    method="GET",
    path="/v1/audit-log",
    tag="Audit log",
    summary="List the audit log",
    description=(
        "Every change to the account by a person, a key, an operator or the service itself, newest first, for the "
        "last 400 days. Field values are not included."
    ),
    needs={Auth.ACCESS_TOKEN: Permission.AUDIT_READ},
    query=AuditQuery,
    answers=(Answer(200, "One page of results.", Page[AuditLine], example=a_page(AUDIT_LINE)),),
)
