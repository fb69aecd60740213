"""How many users a load has at an instant, by its shape."""

Users = tuple[int, float] | None
"""Users, and how many start or stop in a second. None ends the run."""
_RAMP_PART, _SPIKE_BEGINS, _SPIKE_ENDS = 1 / 3, 1 / 3, 1 / 2
_SPIKE = 5


def users_of_ramp(at_s: float, users: int, seconds: float) -> Users:
    """From a tenth of the *users* to all of them in a third of the time."""
    if at_s >= seconds:
        return None
    part = min(1.0, 0.1 + 0.9 * at_s / (seconds * _RAMP_PART))
    return max(1, round(users * part)), users


def users_of_soak(at_s: float, users: int, seconds: float) -> Users:
    return None if at_s >= seconds else (users, users)


def users_of_spike(at_s: float, users: int, seconds: float) -> Users:
    """Five times the *users* at once, for a sixth of the time."""
    if at_s >= seconds:
        return None
    is_spike = _SPIKE_BEGINS <= at_s / seconds < _SPIKE_ENDS
    return users * (_SPIKE if is_spike else 1), users * _SPIKE
