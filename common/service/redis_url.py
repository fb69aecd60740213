"""The URL of a Redis: it states how to connect, and where the primary is found."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

_PORT = 6379
_SENTINEL_PORT = 26379
_SENTINEL = "+sentinel"
_CLUSTER = "+cluster"
_TLS = frozenset({"rediss", "rediss+sentinel", "rediss+cluster"})
_SCHEMES = _TLS | {"redis", "redis+sentinel", "redis+cluster", "unix"}
_FILES = ("ca_file", "certificate_file", "certificate_key_file")
_PASSWORD_FILES = ("password_file", "sentinel_password_file")
_PARAMETERS = frozenset(
    {"db", *_FILES, *_PASSWORD_FILES, "primary", "sentinel_user", "sentinel_password"}
)


@dataclass(frozen=True, slots=True)
class RedisUrl:
    """
    *addresses*: of the server, of nodes of a cluster, or of the Sentinels where *primary* names what they watch.
    *path*: of a Unix socket. Passwords are those of the URL; a file takes their place. Files are read at each
    connection.
    """

    addresses: tuple[tuple[str, int], ...]
    is_cluster: bool
    path: str
    db: int
    user: str | None
    password: str | None
    password_file: Path | None
    is_encrypted: bool
    ca_file: Path | None
    certificate_file: Path | None
    certificate_key_file: Path | None
    primary: str
    sentinel_user: str | None
    sentinel_password: str | None
    sentinel_password_file: Path | None


def parse_redis_url(url: str) -> RedisUrl:
    """Raises ValueError with what is wrong, never with the password. Opens no file."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        names = ", ".join(f"`{scheme}://`" for scheme in sorted(_SCHEMES))
        raise ValueError(f"it must begin with one of {names}")
    given = _read_parameters(parts)
    userinfo, _, hosts = parts.netloc.rpartition("@")
    user, _, password = userinfo.partition(":")
    path = unquote(parts.path) if parts.scheme == "unix" else ""
    files = {name: Path(given[name]) if name in given else None for name in _FILES}
    secrets = {name: Path(given[name]) if name in given else None for name in _PASSWORD_FILES}
    found = RedisUrl(
        addresses=() if path else _parse_addresses(parts.scheme, hosts),
        is_cluster=parts.scheme.endswith(_CLUSTER),
        path=path,
        db=_parse_db(given.get("db") or ("" if path else parts.path.strip("/"))),
        user=unquote(user) or None,
        password=unquote(password) or None,
        is_encrypted=parts.scheme in _TLS,
        primary=given.get("primary", ""),
        sentinel_user=given.get("sentinel_user"),
        sentinel_password=given.get("sentinel_password"),
        **files,
        **secrets,
    )
    _check(parts.scheme, found)
    return found


def _read_parameters(parts: SplitResult) -> dict[str, str]:
    given = dict(parse_qsl(parts.query))
    unknown = sorted(given.keys() - _PARAMETERS)
    if unknown:
        known = ", ".join(sorted(_PARAMETERS))
        raise ValueError(f"it has the unknown parameter `{unknown[0]}`. Known are {known}")
    return given


def _parse_addresses(scheme: str, hosts: str) -> tuple[tuple[str, int], ...]:
    usual = _SENTINEL_PORT if scheme.endswith(_SENTINEL) else _PORT
    found = []
    for one in hosts.split(","):
        parts = urlsplit(f"//{one}")
        try:
            port = parts.port or usual
        except ValueError:
            raise ValueError("a port of it is no number from 1 to 65535") from None
        found.append((parts.hostname or "localhost", port))
    return tuple(found)


def _parse_db(text: str) -> int:
    if not text.isdecimal() and text:
        raise ValueError("its database must be a number, as in `redis://host:6379/0`")
    return int(text or 0)


def _check(scheme: str, found: RedisUrl) -> None:
    pair = (found.certificate_file, found.certificate_key_file)
    if (pair[0] is None) is not (pair[1] is None):
        raise ValueError("`certificate_file` and `certificate_key_file` belong together")
    if any((found.ca_file, *pair)) and not found.is_encrypted:
        raise ValueError(
            "certificate files need `rediss://`, `rediss+sentinel://` or `rediss+cluster://`"
        )
    if found.password and found.password_file:
        raise ValueError("it has a password and `password_file`. Keep one")
    if found.sentinel_password and found.sentinel_password_file:
        raise ValueError("it has `sentinel_password` and `sentinel_password_file`. Keep one")
    if scheme.endswith(_SENTINEL) is not bool(found.primary):
        raise ValueError(
            "`redis+sentinel://` and the parameter `primary` (the name that Sentinels watch) belong together"
        )
    if found.is_cluster and found.db:
        raise ValueError("a Redis Cluster has only database 0")
    if len(found.addresses) > 1 and not (found.primary or found.is_cluster):
        raise ValueError("several hosts need `redis+sentinel://` or `redis+cluster://`")
