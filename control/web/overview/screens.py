"""What a person sees first: how the account does, and what it lacks."""

from control.web.screen import Result, Screen, Shown
from control.web.view import View


async def show(_: View) -> Result:
    return Shown("overview/overview.html")


SCREENS = (Screen("overview", "", show),)
