"""The scenarios that a test key may request instead of the normal outcome (ADR 40): the closed lists, by operation."""

from typing import Final

from common.decision.rules.outcome import NoFillReason
from common.values.enums import Reason

SLOW: Final = "slow"
SLOW_S: Final = 2.0
RATE_LIMITED: Final = "rate_limited"
TENANT_SUSPENDED: Final = "tenant_suspended"
ERROR: Final = "error"
DUPLICATE: Final = "duplicate"
EXPIRED: Final = "expired"
KILL_SWITCH: Final = "kill_switch"
SDK_TOO_OLD: Final = "sdk_too_old"

NO_FILLS: Final = {reason.value: reason for reason in NoFillReason}
INVALID_REASONS: Final = {
    reason.value: reason for reason in Reason if not reason.valid and reason is not Reason.RETRACTED
}
"""All reasons of the filter; `Reason.RETRACTED` belongs to corrections."""

SERVE_SCENARIOS: Final = (*NO_FILLS, SLOW, RATE_LIMITED, TENANT_SUSPENDED, ERROR)
TRACK_SCENARIOS: Final = (*INVALID_REASONS, DUPLICATE, EXPIRED)
FEATURES_SCENARIOS: Final = (KILL_SWITCH, SDK_TOO_OLD, ERROR)
MAX_MOVED_DAYS: Final = 400
"""How far `test_now` may be from now."""
