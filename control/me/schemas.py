"""Who is calling, on the wire."""

from pydantic import Field

from common.contract.models import WireOut
from common.contract.operation import Auth
from common.contract.permissions import Permission, Role
from common.environment import Environment
from common.keys import KeyKind
from control.accounts.schemas import AccountPublic


class MeUser(WireOut):
    id: str
    email: str
    name: str
    email_verified: bool = Field(description="The address was proved by a mail.")


class MeKey(WireOut):
    id: str
    kind: KeyKind
    name: str
    last4: str


class MePublic(WireOut):
    credential: Auth = Field(description="What was shown at the door.")
    account: AccountPublic
    is_operator: bool
    user: MeUser | None = Field(
        description="Who signed in, or who made the key and is still a member."
    )
    role: Role | None = Field(description="The user's role now.")
    permissions: list[Permission] = Field(description="What this credential may do at this moment.")
    scopes: list[Permission] | None = Field(description="Of an integration key, as chosen.")
    environment: Environment | None = Field(description="A key's own; null for a signed-in user.")
    property_id: str | None = Field(description="A key's own; null for a signed-in user.")
    key: MeKey | None
