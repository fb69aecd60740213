"""Pages write one thing in the singular, in every language."""

import re

from tests.support.control_api import ControlApi
from tests.support.resources import Customer
from tests.support.visitor import text_of, visiting

_CAP_AND_HOURS = {
    "en": ("One person: at most 1 impression a day,", "1 hour after a click, 24 after a view"),
    "pt-BR": ("no máximo 1 impressão por dia,", "1 hora após um clique, 24 após"),
    "es": ("como máximo 1 impresión por día,", "1 hora después de un clic, 24 después"),
}
_BREAK = {
    "en": "1 ad, 30 seconds together",
    "pt-BR": "1 anúncio, 30 segundos ao todo",
    "es": "1 anuncio, 30 segundos en total",
}


async def test_a_campaigns_page_writes_one_impression_and_one_hour(api: ControlApi) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    window = {"interval": 1, "unit": "day"}
    campaign = await customer.make_campaign(
        await customer.make_site(),
        attribution={"click_window_hours": 1, "view_window_hours": 24},
        frequency_caps=[{"scope": "campaign", "event": "impression", "limit": 1, "window": window}],
    )
    async with visiting(api, person) as visitor:
        for language, (cap, hours) in _CAP_AND_HOURS.items():
            page = await visitor.look(f"/live/campaigns/{campaign['id']}", language=language)

            assert cap in text_of(page)
            assert hours in text_of(page)


async def test_a_slots_page_writes_one_ad(api: ControlApi) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    property_id = await customer.make_site()
    slot = await customer.make_slot(
        property_id, formats=["audio"], sizes=[], audio={"max_ads": 1, "max_duration_ms": 30_000}
    )
    async with visiting(api, person) as visitor:
        for language, words in _BREAK.items():
            page = await visitor.look(
                f"/live/properties/{property_id}/slots/{slot['id']}", language=language
            )

            assert words in text_of(page)


async def test_the_reference_writes_one_field(api: ControlApi) -> None:
    page = (await api.http.get("/docs/campaigns")).text

    assert re.search(r"<summary[^>]*>\d+ fields</summary>", page)
    assert not re.findall(r"<summary[^>]*>1 \w+s</summary>", page)
