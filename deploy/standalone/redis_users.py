"""The users of the embedded Redis: those of `deploy/redis/users.acl`, with passwords generated once for this stack."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from deploy.standalone.state import read_json, write_json

_TEMPLATE = Path(__file__).parents[1] / "redis" / "users.acl"
ROLES = ("operator", "receiver", "edge", "ingest", "publish", "pace", "api", "work")


@dataclass(frozen=True)
class RedisUsers:
    namespace: str
    passwords: Mapping[str, str] = field(repr=False)
    """By role, from `ROLES`."""

    def render(self) -> str:
        """The content of the ACL file."""
        names = {f"{role.upper()}_PASSWORD": self.passwords[role] for role in ROLES}
        lines = _TEMPLATE.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line for line in lines if line and not line.startswith("#"))
        return Template(text).substitute(names, NAMESPACE=self.namespace) + "\n"

    def url(self, server: str, role: str) -> str:
        """*server*: a URL without a user."""
        scheme, _, rest = server.partition("://")
        return f"{scheme}://{role}:{self.passwords[role]}@{rest}"


def make_users(state: Path, namespace: str) -> RedisUsers:
    """The users of an earlier start, if there was one; the file has mode 0600."""
    path = state / "redis-users.json"
    known: dict[str, str] = read_json(path) or {}
    passwords = {role: known.get(role) or secrets.token_urlsafe(32) for role in ROLES}
    if passwords != known:
        write_json(path, passwords)
    return RedisUsers(namespace, passwords)
