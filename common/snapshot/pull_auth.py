"""
Mutual authentication of edges and the control plane for pulls over HTTP, and the packing of several messages in one
body.

Both sides have the group's key file. A request's proof is an HMAC-SHA256 over time, method, target and body. A
response's proof is an HMAC over the request's proof and the response. So no response can be forged, or replayed for
another request.
"""

import hmac
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from common.service.secrets import KeyRing, Purpose
from common.snapshot.codec import SnapshotInvalid
from common.values.environment import Environment

ANSWER_PROOF = "X-Snapshot-Proof"
"""The header with the proof of a response."""
LEEWAY_MS = 30_000
"""Maximum difference of the two clocks; it keeps a request from being replayed a minute later."""
MAX_DELTAS = 1000
"""Deltas in one response; an edge that is further behind fetches the full state."""
MAX_BYTES = 256_000_000
_SCHEME = "Placard"
_LENGTH = struct.Struct(">I")


class SignatureInvalid(ValueError):
    """The request does not prove its sender; the message gives the reason, and may be shown to the sender."""


@dataclass(frozen=True, slots=True)
class SignedPull:
    """``target``: path and query, exactly as in the request line."""

    method: str
    target: str
    body: bytes = b""


def head_target(environment: Environment) -> str:
    return f"/snapshot/{environment}/head"


def full_target(environment: Environment) -> str:
    return f"/snapshot/{environment}/full"


def deltas_target(environment: Environment, after: int, through: int) -> str:
    return f"/snapshot/{environment}/deltas?after={after}&through={through}"


def workers_target(environment: Environment) -> str:
    return f"/snapshot/{environment}/workers"


def sign_pull(keys: KeyRing, pull: SignedPull, now_ms: int) -> str:
    """Returns the request's ``Authorization``."""
    proof = _pull_proof(keys, keys.active, pull, now_ms)
    return f"{_SCHEME} {keys.active}.{now_ms}.{proof.hex()}"


def check_pull(keys: KeyRing, pull: SignedPull, authorization: str | None, now_ms: int) -> None:
    """Raises `SignatureInvalid`. Every wrong proof takes the same time."""
    key_id, at_ms, given = _parse(authorization)
    if not keys.knows(key_id):
        raise SignatureInvalid(
            "The key is not in PLACARD_KEY_FILE. Derive the edges' key file anew from that of the service."
        )
    if not hmac.compare_digest(given, _pull_proof(keys, key_id, pull, at_ms)):
        raise SignatureInvalid(
            "The proof is wrong. Derive the edges' PLACARD_KEY_FILE from that of the service."
        )
    if abs(now_ms - at_ms) > LEEWAY_MS:
        apart_s = (now_ms - at_ms) / 1000
        raise SignatureInvalid(
            f"The clocks are {apart_s:.0f} s apart. Set them by the same source."
        )


def prove_answer(keys: KeyRing, authorization: str, body: bytes) -> str:
    """*authorization*: from a request that was checked."""
    return _answer_proof(keys, authorization, body).hex()


def answer_holds(keys: KeyRing, authorization: str, body: bytes, proof: str | None) -> bool:
    """Whether *body* is the control plane's response to the request with *authorization*."""
    expected = _answer_proof(keys, authorization, body).hex()
    return hmac.compare_digest(expected.encode(), (proof or "").encode())


def pack_parts(parts: Iterable[bytes]) -> bytes:
    """Prefixes each part with its length."""
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def parse_parts(raw: bytes) -> list[bytes]:
    """The inverse of `pack_parts`; raises `SnapshotInvalid`."""
    parts, place = [], 0
    while place < len(raw):
        if place + _LENGTH.size > len(raw):
            raise SnapshotInvalid("the answer is cut off")
        (length,) = _LENGTH.unpack_from(raw, place)
        place += _LENGTH.size
        if place + length > len(raw):
            raise SnapshotInvalid("the answer is cut off")
        parts.append(raw[place : place + length])
        place += length
    return parts


def _parse(authorization: str | None) -> tuple[str, int, bytes]:
    scheme, _, rest = (authorization or "").partition(" ")
    key_id, _, timed = rest.partition(".")
    at_text, _, proof = timed.partition(".")
    if scheme == _SCHEME and at_text.isascii() and at_text.isdigit():
        with suppress(ValueError):
            return key_id, int(at_text), bytes.fromhex(proof)
    raise SignatureInvalid(
        "Only edges of the group can pull. Sign the request with the key of the group."
    )


def _pull_proof(keys: KeyRing, key_id: str, pull: SignedPull, at_ms: int) -> bytes:
    body = sha256(pull.body).hexdigest()
    text = f"question\n{at_ms}\n{pull.method}\n{pull.target}\n{body}"
    return hmac.digest(keys.derive(Purpose.SNAPSHOT_HTTP, key_id), text.encode(), sha256)


def _answer_proof(keys: KeyRing, authorization: str, body: bytes) -> bytes:
    key_id = _parse(authorization)[0]
    text = f"answer\n{authorization}\n{sha256(body).hexdigest()}"
    return hmac.digest(keys.derive(Purpose.SNAPSHOT_HTTP, key_id), text.encode(), sha256)
