"""The decision behind an event, if it was recorded: its candidates, and the result of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from common.values.errors import ApiError, ErrorCode
from control.dashboard.page_request import PageRequest
from control.reporting.decision_log import operations

_MAX_CANDIDATES = 20
_GONE = frozenset({ErrorCode.NOT_FOUND, ErrorCode.DECISION_EXPIRED, ErrorCode.UNAVAILABLE})


@dataclass(frozen=True, slots=True)
class Decision:
    """``explained``: as the API returns it; None where it is not available, with the reason in ``why``."""

    explained: Mapping[str, Any] | None
    why: str = ""

    @property
    def ad_ids(self) -> list[str]:
        """Of the candidates that are listed."""
        return [one["ad_id"] for one in self.explained["considered"]] if self.explained else []


async def read_decision(view: PageRequest, decision_id: str) -> Decision:
    if not view.can(operations.EXPLAIN.id):
        return Decision(None, "Your role cannot explain decisions.")
    try:
        body = {"decision_id": decision_id, "limit": _MAX_CANDIDATES}
        return Decision(await view.call(operations.EXPLAIN, body=body))
    except ApiError as error:
        if error.code not in _GONE:
            raise
        return Decision(None, _NOT_RECORDED if error.code is ErrorCode.NOT_FOUND else error.message)


_NOT_RECORDED = (
    "This decision was not recorded. All decisions in TEST are recorded, and in live a sample and those with "
    "`debug=1`."
)
