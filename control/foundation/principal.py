"""The authenticated caller and its current permissions."""

from dataclasses import dataclass

from common.contract.operation import Auth
from common.contract.permissions import Permission, Role
from common.values.environment import Environment


@dataclass(frozen=True, slots=True)
class Principal:
    """
    Authenticated caller of one request.

    ``permissions``: a signed-in user has those of the role. An integration key has its scopes that the creator's
    current role still carries; ``lost`` holds its other scopes.
    ``environment`` and ``property_id`` are set for keys, and None for signed-in users.
    """

    auth: Auth
    account_id: str
    user_id: str | None
    role: Role | None
    is_operator: bool
    permissions: frozenset[Permission]
    scopes: frozenset[Permission]
    lost: frozenset[Permission]
    key_id: str | None
    environment: Environment | None
    property_id: str | None
    session_id: str | None = None
    """Session from which a signed-in user's token came."""
    must_enrol: bool = False
    """The account requires a second factor of this role and the user has none; everything else is refused."""

    @property
    def identity(self) -> str:
        """Unique string of the caller: the scope of its idempotency keys and of its rate limit."""
        return f"key:{self.key_id}" if self.key_id else f"user:{self.account_id}:{self.user_id}"
