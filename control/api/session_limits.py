"""Session lifetimes: the limits, and when a session expires."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from control.foundation.settings import ControlSettings


@dataclass(frozen=True, slots=True)
class Limits:
    """
    ``access``: life of an access token. ``idle``: a session and its refresh token end so long after its last use.
    ``absolute``: a session ends so long after the sign-in in any case.
    """

    access: timedelta
    idle: timedelta
    absolute: timedelta

    def ends_at(self, created_at: datetime, last_used_at: datetime) -> datetime:
        """When a session expires unless it is used again or revoked."""
        return min(last_used_at + self.idle, created_at + self.absolute)

    def access_ends_at(self, created_at: datetime, now: datetime) -> datetime:
        """When an access token expires that is made *now* in a session made at *created_at*."""
        return min(now + self.access, created_at + self.absolute)


def limits_of(settings: ControlSettings) -> Limits:
    return Limits(
        access=timedelta(seconds=settings.access_token_s),
        idle=timedelta(seconds=settings.session_idle_s),
        absolute=timedelta(seconds=settings.session_absolute_s),
    )
