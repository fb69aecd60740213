"""How much a key was used lately, for who is about to end it."""

from dataclasses import dataclass

from control.web.view import View


@dataclass(frozen=True, slots=True)
class Use:
    """``counted``: edges count what this kind of key asks for. ``last_hour``: ad requests of the 60 minutes before."""

    counted: bool
    last_hour: int


async def use_of(view: View, key_id: str) -> Use:
    return Use(counted=False, last_hour=0)
