"""Going live: what was tried in TEST is copied, with a key, once the property is verified."""

from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from tests.support.control_api import ControlApi
from tests.support.forms import next_step, the
from tests.support.resources import campaigns_of
from tests.support.visitor import Visitor, text_of, visiting

_HERE = "/test/first-steps"


async def _update(api: ControlApi, visitor: Visitor, change: str) -> None:
    """Of all that the account has."""
    statement = text(f"update {change} where account_id = :account")
    async with api.control.database.service() as session:
        await session.execute(statement, {"account": visitor.person.account_id})


async def test_a_campaign_of_test_is_copied_to_live_with_a_key(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="news.example.com")
        refused = await visitor.send("/live/first-steps", act="go_live", name="Website")
        assert refused.status_code == 404, "the sample is not for visitors"
        await _update(api, visitor, "campaigns set external_ref = null")

        page = await visitor.act("/live/first-steps", act="go_live", name="Website")

        assert "Your campaign is copied to Live as a draft" in text_of(page)
        (copy,) = await campaigns_of(api, visitor.person, "live")
        assert (copy["status"], copy["name"]) == ("draft", "Sample campaign")
        assert "pk_live_" in the(page, "#step-key").text()
        twice = await visitor.send("/live/first-steps", act="go_live", name="Website")
        assert twice.status_code == 404, "there is a campaign in Live"
        listed = await api.http.get("/v1/sdk-keys", headers=visitor.person.headers)
        environments = {one["environment"] for one in listed.json()["data"]}
        assert environments == {"live", "test"}

        page = await visitor.act("/live/first-steps", act="launch")

        (copy,) = await campaigns_of(api, visitor.person, "live")
        assert copy["status"] == "active"
        assert "A campaign is running." in text_of(page)
        assert (await visitor.send("/live/first-steps", act="launch")).status_code == 404


async def test_live_the_only_main_button_is_that_of_the_next_step(api: ControlApi) -> None:
    async def main_buttons(page: LexborHTMLParser) -> list[str]:
        return [one.text() for one in page.css("ol.path .primary")]

    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="news.example.com")
        await _update(api, visitor, "campaigns set external_ref = null")
        start = await visitor.look("/live/first-steps")
        assert await main_buttons(start) == ["By a DNS record"]
        await _update(api, visitor, "properties set status = 'verified'")

        verified = await visitor.look("/live/first-steps")
        copied = await visitor.act("/live/first-steps", act="go_live", name="Website")

        assert "Create a campaign with an ad" in next_step(verified)
        assert await main_buttons(verified) == ["Copy to Live"]
        assert await main_buttons(copied) == ["Launch"]
