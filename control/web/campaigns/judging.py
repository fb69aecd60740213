"""What the API would say of a campaign, with nothing changed."""

from typing import Any

from control.campaigns import operations, rules
from control.campaigns.rows import write
from control.http.inputs import judge_body
from control.tables.campaigns import CampaignRow


def judge(body: dict[str, Any]) -> None:
    """
    Raises `Refused` with all faults that fields show, else with all that they show together. What only the database
    knows (a slot of another property, a reference that is taken) shows when it is saved.
    """
    terms = judge_body(operations.CREATE, body)
    empty: dict[str, Any] = {
        "attribution": {},
        "budget_total_cents": None,
        "budget_daily_cents": None,
    }
    row = CampaignRow(**empty)
    write(row, {name: getattr(terms, name) for name in type(terms).model_fields})
    rules.check_terms(row)
