"""
Authenticates requests: finds the key of a request and its property, from memory alone.

The checks run in the order of the contract: missing, malformed or wrong kind, environment (from the prefix alone),
unknown, revoked, account, property, rate.
"""

from enum import StrEnum
from typing import Final, NoReturn, final

from common.decision.rules.eligibility import SERVING_STATES
from common.http.client_address import Client
from common.snapshot.model import Account, Key, Property
from common.snapshot.snapshot import Snapshot
from common.values.enums import PropertyStatus
from common.values.errors import ErrorCode, Refused
from common.values.keys import KeyKind, KeyMalformed, KeyText, parse_key_text, redacted
from common.values.messages import Message
from edge.context import EdgeContext
from edge.request.call import Call

_BEARER: Final = "bearer"
_SECRET_KEY_FACTOR: Final = 10
_NEVER_IN_A_URL: Final = ("sk_", "ak_")
_SEEN_IN_URL: Final = Message(
    "Never put a secret or integration key in a URL: it is in logs and histories now. Rotate it."
)
_SECRET_ONLY: Final = Message("Send a secret key (sk_…) as `Authorization: Bearer`, from a server.")


class RouteGroup(StrEnum):
    """The kind of endpoint; each has its own rate limits (features shares those of serve)."""

    SERVE = "serve"
    TRACK = "track"
    FEATURES = "features"


@final
class Admission:
    """
    An admitted request, with the snapshot that it began with.

    ``key_in_url``: the key came as ``?key=``. ``is_server``: the key is secret, so the client is a server of the
    customer. ``is_believed``: the request's data about the user is trusted, because the client is a server, or because
    the property renders on servers with publishable keys (ADR 39).
    """

    def __init__(
        self,
        snapshot: Snapshot,
        key: Key,
        prop: Property,
        client: Client,
        *,
        key_in_url: bool,
    ) -> None:
        self.snapshot = snapshot
        self.key = key
        self.property = prop
        self.client = client
        self.key_in_url = key_in_url
        self.is_server: bool = key.kind is KeyKind.SECRET
        self.is_believed: bool = self.is_server or prop.server_rendering

    def refreshed(self, snapshot: Snapshot, prop: Property) -> "Admission":
        return Admission(snapshot, self.key, prop, self.client, key_in_url=self.key_in_url)


def admit(
    edge: EdgeContext, call: Call, route_group: RouteGroup, now_ms: int, *, calls: int = 1
) -> Admission:
    """
    Admits a request and counts it. Never waits. *calls*: how many calls the rate limits count.

    Raises `Refused` with the contract's code, and `SnapshotMissing` before the first snapshot.
    """
    admission = admit_uncounted(edge, call, now_ms)
    count_call(edge, route_group, admission, calls=calls)
    return admission


def admit_uncounted(edge: EdgeContext, call: Call, now_ms: int) -> Admission:
    """`admit` without its last step, `count_call`: it changes nothing."""
    snapshot = edge.snapshots.current()
    return _admitted(snapshot, call, _shown(call), now_ms)


def admit_server(edge: EdgeContext, call: Call, route_group: RouteGroup, now_ms: int) -> Admission:
    """`admit` for operations that need a secret key: the error for any other key names the right one."""
    admission = admit_server_uncounted(edge, call, now_ms)
    count_call(edge, route_group, admission)
    return admission


def admit_server_uncounted(edge: EdgeContext, call: Call, now_ms: int) -> Admission:
    """`admit_server` without its last step, `count_call`: it changes nothing."""
    snapshot = edge.snapshots.current()
    return _admitted(snapshot, call, _shown_by_server(call), now_ms)


def _admitted(
    snapshot: Snapshot, call: Call, shown: tuple[str, KeyKind, bool], now_ms: int
) -> Admission:
    text, kind, key_in_url = shown
    key, prop, account = _cached_key(snapshot, text, kind)
    _check_may_serve(snapshot, key, prop, account, now_ms)
    return Admission(snapshot, key, prop, call.client, key_in_url=key_in_url)


def count_call(
    edge: EdgeContext, route_group: RouteGroup, admission: Admission, *, calls: int = 1
) -> None:
    """
    Counts *calls* against the rate limits. Raises `Refused` where one is exceeded.

    A request that the address's limit refuses does not count against the key's limit.
    """
    key, limits = admission.key, admission.property.rate_limits
    if route_group is RouteGroup.TRACK:
        group, per_key, per_ip = "track", limits.track_per_key_s, limits.track_per_ip_s
    else:
        group, per_key, per_ip = "serve", limits.serve_per_key_s, limits.serve_per_ip_s
    limiter, now_ms = edge.limiter, edge.clock.monotonic_ms()
    if admission.is_server:
        wait_s = limiter.take(
            bucket_of(route_group, key), per_key * _SECRET_KEY_FACTOR, now_ms, calls
        )
    elif admission.is_believed:
        wait_s = limiter.take(bucket_of(route_group, key), per_key, now_ms, calls)
    else:
        bucket = (group, key.property_id, admission.client.network)
        wait_s = limiter.take(bucket, per_ip, now_ms, calls)
        if not wait_s:
            wait_s = limiter.take(bucket_of(route_group, key), per_key, now_ms, calls)
    if wait_s:
        refuse(wait_s)
    edge.counters.count_key(key.property_id, key.id, calls)


def bucket_of(route_group: RouteGroup, key: Key) -> tuple[str, str]:
    """The bucket in which the rate limiter counts requests with *key*."""
    return "track" if route_group is RouteGroup.TRACK else "serve", key.id


def refuse(wait_s: int) -> NoReturn:
    """Raises the error of an exceeded rate limit, with the seconds to wait."""
    raise Refused(
        ErrorCode.RATE_LIMITED,
        Message("Too many requests. Wait {wait_s} s, then send them more slowly.", wait_s=wait_s),
        retry_after_s=wait_s,
    )


def refuse_suspended() -> NoReturn:
    raise Refused(
        ErrorCode.TENANT_SUSPENDED,
        Message("The account is suspended. Pay what is due or contact support, then try again."),
    )


def _shown(call: Call) -> tuple[str, KeyKind, bool]:
    """The key's text, the kind of key that its place is for, and whether it was in the URL."""
    header = (call.caller.service_key or "").strip(" \t")
    if header:
        return header, KeyKind.PUBLISHABLE, False
    bearer = _bearer(call)
    if bearer:
        return bearer, KeyKind.SECRET, False
    key = call.query.get("key")
    if key is not None:
        if key.startswith(_NEVER_IN_A_URL):
            raise _invalid(
                Message(
                    "{seen_in_url} Send a publishable key (pk_…) here.",
                    seen_in_url=_SEEN_IN_URL,
                )
            )
        return key, KeyKind.PUBLISHABLE, True
    raise _missing(
        Message(
            "No key was sent. Send a publishable key in X-Service-Key or as ?key=, or a secret key "
            "as `Authorization: Bearer`."
        ),
    )


def _shown_by_server(call: Call) -> tuple[str, KeyKind, bool]:
    text = _bearer(call)
    if not text:
        key = call.query.get("key")
        if key is not None and key.startswith(_NEVER_IN_A_URL):
            raise _invalid(
                Message(
                    "{seen_in_url} {secret_only}",
                    seen_in_url=_SEEN_IN_URL,
                    secret_only=_SECRET_ONLY,
                )
            )
        if call.caller.service_key or key is not None:
            raise _invalid(
                Message(
                    "{secret_only} A publishable key is not enough here, and ?key= is ignored.",
                    secret_only=_SECRET_ONLY,
                )
            )
        raise _missing(Message("No key was sent. {secret_only}", secret_only=_SECRET_ONLY))
    if text.startswith(("pk_", "ak_")):
        key = redacted(text)
        message = (
            Message("{key} is a publishable key. {secret_only}", key=key, secret_only=_SECRET_ONLY)
            if text.startswith("pk_")
            else Message(
                "{key} is an integration key. {secret_only}", key=key, secret_only=_SECRET_ONLY
            )
        )
        raise _invalid(message)
    return text, KeyKind.SECRET, False


def _bearer(call: Call) -> str:
    """The bearer token; empty where there is none. Other schemes are ignored: a proxy may have added them."""
    scheme, _, token = (call.caller.authorization or "").partition(" ")
    return token.strip(" \t") if scheme.lower() == _BEARER else ""


def _cached_key(snapshot: Snapshot, text: str, place: KeyKind) -> tuple[Key, Property, Account]:
    """The key with its property and account; cached until one of them changes."""
    cached = snapshot.derived.get((place, text))
    if cached is None:
        try:
            parsed = parse_key_text(text)
        except KeyMalformed as error:
            raise _invalid(
                Message(
                    "{key} is not a valid key. Copy the complete key again.", key=error.redacted
                )
            ) from None
        _check_kind(parsed, place)
        _check_environment(snapshot, parsed)
        cached = _find(snapshot, parsed)
        snapshot.derived.put((place, text), cached, [one.id for one in cached])
    found: tuple[Key, Property, Account] = cached
    return found


def _check_kind(parsed: KeyText, place: KeyKind) -> None:
    if parsed.kind is place:
        return
    key = parsed.redacted
    match parsed.kind:
        case KeyKind.INTEGRATION:
            message = Message(
                "{key} is an integration key, for the management API only. Send a publishable key (pk_…).",
                key=key,
            )
        case KeyKind.SECRET:
            message = Message(
                "{key} is a secret key: send it as `Authorization: Bearer`, from a server only. "
                "X-Service-Key takes publishable keys (pk_…).",
                key=key,
            )
        case KeyKind.PUBLISHABLE:
            message = Message(
                "{key} is a publishable key: send it in X-Service-Key. `Authorization: Bearer` takes "
                "secret keys (sk_…).",
                key=key,
            )
    raise _invalid(message)


def _check_environment(snapshot: Snapshot, parsed: KeyText) -> None:
    if parsed.environment is not snapshot.environment:
        raise Refused(
            ErrorCode.WRONG_ENVIRONMENT,
            Message(
                "{key} is a {key_environment} key, and this edge serves {edge_environment}. Use the "
                "{key_environment} edge, or a key of {edge_environment}.",
                key=parsed.redacted,
                key_environment=parsed.environment,
                edge_environment=snapshot.environment,
            ),
        )


def _find(snapshot: Snapshot, parsed: KeyText) -> tuple[Key, Property, Account]:
    key = snapshot.keys_by_hash.get(parsed.hash)
    prop = None if key is None else snapshot.properties.get(key.property_id)
    account = None if prop is None else snapshot.accounts.get(prop.account_id)
    if key is None or prop is None or account is None or key.kind is not parsed.kind:
        raise _invalid(
            Message(
                "The key {key} is unknown. Copy a key of this property from the dashboard, under "
                "Keys.",
                key=parsed.redacted,
            )
        )
    return key, prop, account


def _check_may_serve(
    snapshot: Snapshot, key: Key, prop: Property, account: Account, now_ms: int
) -> None:
    if key.revoked_at_ms is not None or (
        key.expires_at_ms is not None and now_ms >= key.expires_at_ms
    ):
        raise Refused(
            ErrorCode.KEY_REVOKED,
            Message("This key was rotated, revoked or has expired. Use its replacement."),
        )
    if account.state not in SERVING_STATES:
        refuse_suspended()
    if prop.status is not PropertyStatus.VERIFIED and not snapshot.environment.is_test:
        raise Refused(
            ErrorCode.PROPERTY_UNVERIFIED,
            Message(
                "Live traffic needs a verified property, and a verified e-mail address of its "
                "account. GET /v1/me shows what is missing. Use a test key until then."
            ),
        )


def _missing(message: Message) -> Refused:
    return Refused(ErrorCode.MISSING_KEY, message, headers={"WWW-Authenticate": "Bearer"})


def _invalid(message: Message) -> Refused:
    return Refused(
        ErrorCode.INVALID_KEY, message, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'}
    )
