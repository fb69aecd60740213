"""The operations that change the status of an ad or a campaign, which differ only in their object."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.campaigns.action_examples import APPROVAL, REJECT_BODY, REJECTION
from control.demand.campaigns.action_schemas import Rejection
from control.foundation.openapi_examples import after


@dataclass(frozen=True, slots=True)
class StatusOperations:
    noun: str
    """``ad`` or ``campaign``: path, tag, ids and texts follow from it."""
    article: str
    needs: dict[Auth, Permission]
    model: type[BaseModel]
    example: dict[str, Any]
    headers: dict[str, str]

    def change(self, name: str, description: str, status: str) -> Operation:
        return self._operation(name, description, needs=self.needs, shown={"status": status})

    def approve(self) -> Operation:
        return self._operation(
            "approve",
            "Changes the status from `pending_review` to `active`. Owners and admins only.",
            needs=_REVIEWERS,
            shown={"status": "active", "review": APPROVAL},
        )

    def reject(self) -> Operation:
        return self._operation(
            "reject",
            "Changes the status from `pending_review` to `rejected`, with a reason that its authors can read. Owners "
            "and admins only.",
            needs=_REVIEWERS,
            shown={"status": "rejected", "review": REJECTION},
            body=Rejection,
            body_example=REJECT_BODY,
        )

    def _operation(
        self,
        name: str,
        description: str,
        *,
        needs: dict[Auth, Permission],
        shown: dict[str, Any],
        **more: Any,
    ) -> Operation:
        example = after(self.example, **shown)
        answer = Answer(
            200, f"The updated {self.noun}.", self.model, headers=self.headers, example=example
        )
        return Operation(
            id=f"{name}{self.noun.title()}",
            method="POST",
            path=f"/v1/{self.noun}s/{{id}}/{name}",
            tag=f"{self.noun.title()}s",
            summary=f"{name.title()} {self.article} {self.noun}",
            description=description,
            needs=needs,
            path_params={"id": f"Id of the {self.noun}."},
            answers=(answer,),
            errors=(ErrorCode.INVALID_STATE,),
            accepts_version=True,
            **more,
        )


_REVIEWERS = {Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE}
"""Users only: an integration key cannot approve or reject what it may have made itself."""
