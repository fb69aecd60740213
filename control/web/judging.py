"""Judging what was typed so far by the operation's own model, without doing anything."""

from typing import Any

import orjson
from pydantic import ValidationError

from common.contract.operation import Operation
from control.http.faults import refusal_of


def judge(operation: Operation, body: dict[str, Any]) -> None:
    """Raises the 422 that the operation would begin with; what only its rules can tell is told when it is sent."""
    if operation.body is None:
        raise TypeError(f"{operation.id} takes no body")
    try:
        operation.body.model_validate_json(orjson.dumps(body))
    except ValidationError as error:
        raise refusal_of(error, body) from None
