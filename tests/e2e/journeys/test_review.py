"""An account that reviews: a manager, invited by mail, hands in; the owner approves; a reader sees it."""

import asyncio
import re
from email import message_from_bytes
from email.policy import SMTP
from pathlib import Path
from uuid import uuid4

from playwright.async_api import Browser

from deploy.standalone.background import Background
from tests.e2e.customer import PASSWORD, eventually
from tests.e2e.journeys.seat import Seat, reading, seated, sees_an_ad
from tests.e2e.journeys.standing import element_of, standing
from tests.support.mailbox import text_of


async def test_a_campaign_submitted_by_a_manager_serves_once_the_owner_approves_it(
    streams_stack: Background, chromium: Browser
) -> None:
    async with (
        standing(streams_stack) as customer,
        seated(streams_stack, chromium) as owner,
        seated(streams_stack, chromium) as manager,
    ):
        await owner.sign_in(customer.email)
        await owner.go("/account")
        await owner.page.get_by_label("Require approval of live campaigns and ads").check()
        await owner.press("Save")
        await owner.reads("Saved.")
        await _join(owner, manager)

        await manager.go("/live/campaigns/new")
        path = await manager.make_campaign("Lighthouse")
        await manager.make_banner("Light", then="The ad is waiting for review.")
        await manager.press("Submit for review")
        await manager.reads("The campaign is waiting for review.")
        assert (await customer.serve("live")).status_code == 204

        await owner.go("/live/review")
        await owner.press("Approve Lighthouse")
        await owner.reads("Approved.")
        await owner.press("Approve Light")
        await owner.reads("Nothing to review")
        await customer.serve_until_filled("live", path.rsplit("/", 1)[1])
        async with reading(chromium, element_of(customer)) as page:
            await sees_an_ad(page)


async def _join(owner: Seat, manager: Seat) -> None:
    """By the link of the mail."""
    email = f"{uuid4().hex}@journeys.example"
    await owner.go("/members")
    await owner.fill(email=email)
    await owner.page.get_by_label("Role").select_option("manager")
    await owner.press("Send invitation")
    await owner.reads("The invitation is on its way.")
    await manager.page.goto(await eventually(lambda: _link_to(owner.stack.state, email)))
    await manager.fill(name="Mara", password=PASSWORD)
    await manager.press("Accept")
    await manager.reads("Welcome! You are now a member.")


async def _link_to(state: Path, email: str) -> str | None:
    """The one in the mail to *email*, once it is there."""
    for path in await asyncio.to_thread(lambda: sorted((state / "mail").glob("*.eml"))):
        mail = message_from_bytes(path.read_bytes(), policy=SMTP)
        if mail["To"] == email:
            found = re.search(r"https?://\S+", text_of(mail))
            return found[0] if found else None
    return None
