"""The properties' signing secrets, with which an edge signs tokens. Each is unsealed once."""

from common.service.secrets import KeyRing, Purpose, SealBroken
from common.snapshot.model import Property, SecretState, SigningSecret
from common.values.errors import Unavailable
from common.values.generation_cache import GenerationCache
from common.values.messages import Message

_KEPT = 50_000


class SigningSecrets:
    """Unseals secrets of the snapshot. Unsealed secrets are kept in memory only, keyed by their sealed text."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys
        self._opened = GenerationCache(_KEPT)

    @property
    def ring(self) -> KeyRing:
        """The keys of this machine."""
        return self._keys

    def signing(self, prop: Property) -> tuple[int, bytes]:
        """The number and bytes of the secret to sign with: the newest in state `SIGN`. Raises `Unavailable`."""
        newest: SigningSecret | None = None
        for secret in prop.secrets:
            if secret.state is SecretState.SIGN and (newest is None or secret.kid > newest.kid):
                newest = secret
        opened = None if newest is None else self._open(prop.id, newest)
        if newest is None or opened is None:
            raise Unavailable(
                Message("This edge has not received the property's signing secret yet. Try again.")
            )
        return newest.kid, opened

    def find(self, prop: Property, kid: int) -> bytes | None:
        """The secret with the number *kid*; None if the property has none, or if it cannot be unsealed."""
        for secret in prop.secrets:
            if secret.kid == kid:
                return self._open(prop.id, secret)
        return None

    def _open(self, property_id: str, secret: SigningSecret) -> bytes | None:
        key = (property_id, secret.kid, secret.sealed)
        opened: bytes | None = self._opened.get(key)
        if opened is not None:
            return opened
        try:
            opened = self._keys.unseal(Purpose.SNAPSHOT, secret.sealed, bound_to=property_id)
        except SealBroken:
            return None
        self._opened.put(key, opened)
        return opened
