"""Test controls of a request (ADR 40): `X-Test-Scenario` to simulate, and `X-Test-Now`, the time to decide at."""

import re
from datetime import datetime
from typing import Final, NoReturn, final

from common.contract.scenarios import (
    ERROR,
    INVALID_REASONS,
    MAX_MOVED_DAYS,
    NO_FILLS,
    RATE_LIMITED,
    SLOW,
    TENANT_SUSPENDED,
)
from common.decision.rules.outcome import NoFillReason
from common.values.clock import to_ms
from common.values.enums import Reason
from common.values.errors import ApiError, Detail, ErrorCode, Refused
from common.values.messages import Message
from edge.admission.keys import refuse, refuse_suspended
from edge.context import EdgeContext
from edge.request.call import Call

_SCENARIO: Final = "test_scenario", "X-Test-Scenario", "x-test-scenario"
_NOW: Final = "test_now", "X-Test-Now", "x-test-now"
"""Query parameter, header, and the header's name in lower case."""
_DAY_MS: Final = 86_400_000
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)")


@final
class TestControls:
    """
    The parsed test controls of a request.

    ``scenario``: one that the operation allows; None where only a time was given. ``now_ms``: the time to decide at;
    None: now.
    """

    def __init__(self, scenario: str | None, now_ms: int | None) -> None:
        self.scenario = scenario
        self.now_ms = now_ms

    @property
    def no_fill(self) -> NoFillReason | None:
        return None if self.scenario is None else NO_FILLS.get(self.scenario)

    @property
    def reason(self) -> Reason | None:
        """The verdict that the scenario gives to an event; None for no such scenario."""
        return None if self.scenario is None else INVALID_REASONS.get(self.scenario)


def fail() -> NoReturn:
    raise ApiError(
        ErrorCode.INTERNAL, Message("This is the error that the test scenario `error` requests.")
    )


def has_test_controls(call: Call) -> bool:
    return any(_find_value(call, *names) is not None for names in (_SCENARIO, _NOW))


def is_slow(call: Call) -> bool:
    value = _find_value(call, *_SCENARIO)
    return value is not None and value[1] == SLOW


def refuse_simulated(edge: EdgeContext, call: Call) -> None:
    """Raises the error that the request's scenario simulates, if it is one; in test only."""
    value = _find_value(call, *_SCENARIO) if edge.environment.is_test else None
    scenario = None if value is None else value[1]
    if scenario == RATE_LIMITED:
        refuse(1)
    if scenario == TENANT_SUSPENDED:
        refuse_suspended()
    if scenario == ERROR:
        fail()


def parse_test_controls(
    edge: EdgeContext, call: Call, allowed: tuple[str, ...], now_ms: int, *, may_move: bool = False
) -> TestControls | None:
    """
    Returns None where the request has no test controls. *may_move*: the request makes a decision, so it may set the
    time.

    Raises `Refused` in live, for a scenario not in *allowed*, and for an invalid or too distant time.
    """
    value = _find_value(call, *_SCENARIO)
    moved = _find_value(call, *_NOW) if may_move else None
    if value is None and moved is None:
        return None
    if not edge.environment.is_test:
        param = (value or moved or ("", ""))[0]
        raise _invalid(
            param,
            "not_allowed",
            Message("{param} works only with test keys on the test edge. Remove it.", param=param),
        )
    if value is not None and value[1] not in allowed:
        message = Message(
            "{param} must be one of {allowed}.", param=value[0], allowed=", ".join(allowed)
        )
        raise _invalid(value[0], "unknown_value", message)
    return TestControls(
        None if value is None else value[1], None if moved is None else _instant(*moved, now_ms)
    )


def _find_value(call: Call, parameter: str, header: str, field: str) -> tuple[str, str] | None:
    """Returns the name of the header or parameter, and its value. The header takes precedence."""
    value = call.headers.get(field)
    if value:
        return header, value.strip()
    value = call.query.get(parameter) if call.query_string else None
    return (parameter, value) if value else None


def _instant(param: str, text: str, now_ms: int) -> int:
    at = None
    if _INSTANT.fullmatch(text):
        try:
            at = datetime.fromisoformat(text.upper())
        except ValueError:
            at = None
    if at is None:
        message = Message(
            "{param} must be an RFC 3339 time, like 2026-03-01T09:00:00Z. In a query, write + as "
            "%2B.",
            param=param,
        )
        raise _invalid(param, "invalid", message)
    at_ms = to_ms(at)
    if abs(at_ms - now_ms) > MAX_MOVED_DAYS * _DAY_MS:
        message = Message(
            "{param} may be at most {max_days} days from now.",
            param=param,
            max_days=MAX_MOVED_DAYS,
        )
        raise _invalid(param, "out_of_range", message)
    return at_ms


def _invalid(param: str, code: str, message: Message) -> Refused:
    detail = Detail(param, code, message)
    return Refused(ErrorCode.VALIDATION_FAILED, message, param=param, details=(detail,))
