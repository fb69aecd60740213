"""Validates a campaign with the API's model, without changing anything."""

from typing import Any

from control.demand.campaigns import operations
from control.foundation.http.inputs import judge_body


def judge(body: dict[str, Any]) -> None:
    """
    Raises `Refused` with all errors of the terms.

    Errors that only the database can find (a slot of another property, a reference already in use) appear on saving.
    """
    judge_body(operations.CREATE, body)
