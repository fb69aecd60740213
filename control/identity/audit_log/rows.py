"""Converts table rows of the audit log to their API form."""

from control.identity.audit_log.schemas import AuditLine
from control.storage.tables.accounts import AuditRow


def to_public(row: AuditRow) -> AuditLine:
    return AuditLine(**{name: getattr(row, name) for name in AuditLine.model_fields})
