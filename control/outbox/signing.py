"""
Re-seals a property's signing secrets for edges: from the database's seal to the snapshot's.

Sealing draws a nonce, so each compilation would change the sealed form of the same secret. A form that edges already
hold, and that opens to the same secret, is reused: what did not change stays equal byte for byte.
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
    """
    *before*: the property's body as edges hold it.
    A retired secret still verifies, because redirects of old clicks need it.
    """
    sealed = _sealed_before(before)
    return tuple(
        SigningSecret(
            row.kid,
            _sealed(keys, property_id, row, sealed.get(row.kid)),
            SecretState.SIGN if row.state == SecretState.SIGN else SecretState.VERIFY,
        )
        for row in rows
    )


def _sealed(keys: KeyRing, property_id: str, row: PropertySecretRow, sealed: str | None) -> str:
    plain = keys.unseal(Purpose.PROPERTY_SECRETS, row.sealed, bound_to=property_id)
    if sealed is not None and sealed.startswith(f"{keys.active}."):
        with suppress(SealBroken):
            if keys.unseal(Purpose.SNAPSHOT, sealed, bound_to=property_id) == plain:
                return sealed
    return keys.seal(Purpose.SNAPSHOT, plain, bound_to=property_id)


def _sealed_before(before: bytes | None) -> dict[int, str]:
    with suppress(SnapshotInvalid):
        item = parse_object(ObjectType.PROPERTY, before) if before is not None else None
        if isinstance(item, Property):
            return {secret.kid: secret.sealed for secret in item.secrets}
    return {}
