"""Who is calling, and what they may do at this very moment."""

from dataclasses import dataclass

from common.contract.operation import Auth
from common.contract.permissions import Permission, Role
from common.values.environment import Environment


@dataclass(frozen=True, slots=True)
class Principal:
    """
    ``permissions``: for a signed-in user those of the role; for an integration key its scopes that the creator's
    current role still carries (``lost`` holds the scopes it does not).
    ``environment`` and ``property_id`` are set for keys, None for signed-in users.
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
    """Of a signed-in user: the sign-in that the token came from."""
    must_enrol: bool = False
    """The account demands a second factor of this role, and the user has none: nothing else is allowed."""

    @property
    def identity(self) -> str:
        """One string per caller: the scope of its idempotency keys and rate limit."""
        return f"key:{self.key_id}" if self.key_id else f"user:{self.account_id}:{self.user_id}"
