"""The secrets an edge works with: properties' signing secrets, opened once, and the day's salt for client hashes."""

import hmac

from common.errors import Unavailable
from common.secrets import KeyRing, Purpose, SealBroken
from common.snapshot.model import Property, SecretState, SigningSecret

_KEPT = 100_000
_DAY_MS = 86_400_000


class SigningSecrets:
    """Opens what the snapshot seals. Opened secrets stay in memory, keyed by their sealed text, and nowhere else."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys
        self._opened: dict[tuple[str, int, str], bytes] = {}
        self._salt_day = -1
        self._salt = b""

    def signing(self, prop: Property) -> tuple[int, bytes]:
        """The number and bytes of the secret to sign with: the newest that signs. Raises `Unavailable`."""
        newest: SigningSecret | None = None
        for secret in prop.secrets:
            if secret.state is SecretState.SIGN and (newest is None or secret.kid > newest.kid):
                newest = secret
        opened = None if newest is None else self._open(prop.id, newest)
        if newest is None or opened is None:
            raise Unavailable("This property's signing secret is not on this edge yet. Try again.")
        return newest.kid, opened

    def find(self, prop: Property, kid: int) -> bytes | None:
        """The secret a token names; None where the property has none of that number."""
        for secret in prop.secrets:
            if secret.kid == kid:
                return self._open(prop.id, secret)
        return None

    def day_salt(self, now_ms: int) -> bytes:
        """32 bytes that change at midnight UTC."""
        day = now_ms // _DAY_MS
        if day != self._salt_day:
            root = self._keys.derive(Purpose.SNAPSHOT)
            self._salt = hmac.digest(root, b"client-hash/v1/%d" % day, "sha256")
            self._salt_day = day
        return self._salt

    def _open(self, property_id: str, secret: SigningSecret) -> bytes | None:
        key = (property_id, secret.kid, secret.sealed)
        opened = self._opened.get(key)
        if opened is not None:
            return opened
        try:
            opened = self._keys.unseal(Purpose.SNAPSHOT, secret.sealed, bound_to=property_id)
        except SealBroken:
            return None
        if len(self._opened) >= _KEPT:
            self._opened.clear()
        self._opened[key] = opened
        return opened
