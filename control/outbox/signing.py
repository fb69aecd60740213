"""
A property's signing secrets on their way to edges: out of the seal of the database, into that of the snapshot.

Sealing draws a nonce, so the same secret would look new at every compilation. A sealed form that edges have already
and that still opens to the same secret is used again: what did not change stays the same to the byte.
"""

from collections.abc import Iterable
from contextlib import suppress

from common.service.secrets import KeyRing, Purpose, SealBroken
from common.snapshot.codec import SnapshotInvalid, parse_object
from common.snapshot.model import ObjectType, Property, SecretState, SigningSecret
from control.storage.tables.properties import PropertySecretRow


def snapshot_secrets(
    keys: KeyRing, property_id: str, rows: Iterable[PropertySecretRow], *, before: bytes | None
) -> tuple[SigningSecret, ...]:
    """*before*: the property's body as edges have it. A retired secret still verifies: old clicks redirect by it."""
    known = _sealed_before(before)
    return tuple(
        SigningSecret(
            row.kid,
            _sealed(keys, property_id, row, known.get(row.kid)),
            SecretState.SIGN if row.state == SecretState.SIGN else SecretState.VERIFY,
        )
        for row in rows
    )


def _sealed(keys: KeyRing, property_id: str, row: PropertySecretRow, known: str | None) -> str:
    plain = keys.unseal(Purpose.PROPERTY_SECRETS, row.sealed, bound_to=property_id)
    if known is not None and known.startswith(f"{keys.active}."):
        with suppress(SealBroken):
            if keys.unseal(Purpose.SNAPSHOT, known, bound_to=property_id) == plain:
                return known
    return keys.seal(Purpose.SNAPSHOT, plain, bound_to=property_id)


def _sealed_before(before: bytes | None) -> dict[int, str]:
    with suppress(SnapshotInvalid):
        item = parse_object(ObjectType.PROPERTY, before) if before is not None else None
        if isinstance(item, Property):
            return {secret.kid: secret.sealed for secret in item.secrets}
    return {}
