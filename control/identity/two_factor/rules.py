"""
The second factor: time-based codes (RFC 6238: SHA-1, 6 digits, 30 s) and recovery codes. Pure.

One step of leeway in either direction allows for clocks that differ. A step is accepted once, so an observed code is
worthless (RFC 6238, 5.2).
"""

import base64
import hashlib
import hmac
import os
import re

import pyotp

ISSUER = "Placard"
STEP_S = 30
RECOVERY_CODES = 10
_LEEWAY_STEPS = 1
_RECOVERY_BYTES = 10
"""80 bits: too many to guess, so a plain hash is enough in the database."""
_CODE = re.compile(r"[0-9]{6}")
_BLANKS = re.compile(r"[\s-]")


def new_secret() -> str:
    """160 random bits in base32, the format of authenticator apps."""
    return pyotp.random_base32()


def otpauth_url(secret: str, email: str) -> str:
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=ISSUER)


def find_step(secret: str, given: str, *, now_s: float, last_step: int) -> int | None:
    """The time step of the code *given*, later than *last_step*; None if the code is wrong or was used."""
    code = _BLANKS.sub("", given)
    if not _CODE.fullmatch(code):
        return None
    totp = pyotp.TOTP(secret, interval=STEP_S)
    here = int(now_s) // STEP_S
    for step in range(here - _LEEWAY_STEPS, here + _LEEWAY_STEPS + 1):
        if step > last_step and hmac.compare_digest(totp.generate_otp(step), code):
            return step
    return None


def new_recovery_codes() -> list[str]:
    """Ten codes like ``k3jq-7xw2-mm5a-p4te``, without the digits that look like letters."""
    return [_in_fours(_base32(os.urandom(_RECOVERY_BYTES))) for _ in range(RECOVERY_CODES)]


def recovery_hash(user_id: str, given: str) -> bytes:
    """The hash by which a recovery code is stored and found; it ignores blanks, hyphens and case."""
    code = _BLANKS.sub("", given).lower()
    return hashlib.sha256(f"{user_id}:{code}".encode()).digest()


def _base32(raw: bytes) -> str:
    return base64.b32encode(raw).decode().lower()


def _in_fours(code: str) -> str:
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))
