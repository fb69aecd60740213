"""API schemas of the caller's own account."""

from typing import Annotated

from pydantic import Field

from common.contract.models import WireIn
from control.foundation.wire_types import unchanged
from control.identity.users.names import Name

Flag = Annotated[bool, Field(strict=True)]


class AccountPatch(WireIn):
    name: Name = unchanged()
    review_required: Flag = unchanged()
    require_second_factor: Flag = unchanged()


class AccountClose(WireIn):
    password: str = Field(max_length=1024, description="Your own password, as confirmation.")
