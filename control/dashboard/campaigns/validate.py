"""What the API would say of a campaign, with nothing changed."""

from typing import Any

from control.demand.campaigns import operations
from control.foundation.http.inputs import judge_body


def judge(body: dict[str, Any]) -> None:
    """
    Raises `Refused` with all faults of the terms. What only the database knows (a slot of another property, a
    reference that is taken) shows when it is saved.
    """
    judge_body(operations.CREATE, body)
