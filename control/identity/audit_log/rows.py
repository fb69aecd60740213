"""From the table to the wire: how a line of the audit log is shown."""

from control.identity.audit_log.schemas import AuditLine
from control.storage.tables.accounts import AuditRow


def to_public(row: AuditRow) -> AuditLine:
    return AuditLine(**{name: getattr(row, name) for name in AuditLine.model_fields})
