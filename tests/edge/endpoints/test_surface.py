"""The surface is where an ad is shown, whichever client requested it; the rules of mail apply to every e-mail ad."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from common.snapshot.codec import canonical_json
from common.tracking.token import parse_token
from common.values.enums import Format, PropertyKind, Reason
from tests.edge.tracking.track_clients import BROWSER, TrackClients, open_track_clients
from tests.support.builders import a_campaign, a_property, a_slot, an_ad
from tests.support.resources import CONTENT_OF
from tests.support.worker import events_of

_MAIL = canonical_json(
    {
        "image_url": "https://brand.example/a.png",
        "width": 300,
        "height": 250,
        "alt": "Shoes",
        "text_fallback": "Shoes",
    }
)


@pytest.fixture
async def clients(tmp_path: Path) -> AsyncIterator[TrackClients]:
    campaign = a_campaign()
    mail = an_ad(campaign, format=Format.EMAIL, content=_MAIL)
    slot = a_slot(key="mail", formats=(Format.EMAIL,))
    async with open_track_clients(tmp_path, slot, campaign, mail) as clients:
        yield clients


async def surface_of(clients: TrackClients, query: str, **headers: str) -> str:
    key = {} if "Authorization" in headers else {"X-Service-Key": clients.publishable}
    answer = await clients.get(f"/v1/serve?{query}", **key, **headers)
    assert answer.status_code == 200, answer.text
    return parse_token(answer.json()["track_token"])[0].surface


async def test_an_email_ad_has_surface_email_with_either_key_even_in_a_web_property(
    clients: TrackClients,
) -> None:
    secret = {"Authorization": f"Bearer {clients.secret}"}
    surfaces = [
        await surface_of(clients, "slot=mail", **secret),
        await surface_of(clients, "slot=mail"),
        await surface_of(clients, "slot=mail"),  # of a page met before
        await surface_of(clients, "slot=top", **secret),
        await surface_of(clients, "slot=top"),
    ]
    assert surfaces == ["email", "email", "email", "server", "web"]


@pytest.mark.parametrize("kind", [PropertyKind.WEB, PropertyKind.APP])
async def test_an_audio_ad_has_surface_audio_with_either_key(
    kind: PropertyKind, tmp_path: Path
) -> None:
    campaign = a_campaign()
    sound = canonical_json(CONTENT_OF[Format.AUDIO])
    ad = an_ad(campaign, format=Format.AUDIO, content=sound, width=None, height=None)
    slot = a_slot(key="podcast", formats=(Format.AUDIO,))
    async with open_track_clients(tmp_path, a_property(kind=kind), slot, campaign, ad) as clients:
        secret = {"Authorization": f"Bearer {clients.secret}"}
        assert await surface_of(clients, "slot=podcast", **secret) == "audio"
        assert await surface_of(clients, "slot=podcast&surface=ctv", **secret) == "ctv"
        for _ in range(2):  # the second of a page met before
            served = await clients.get(
                "/v1/serve?slot=podcast", **{"X-Service-Key": clients.publishable}
            )
            token = served.json()["track_token"]
            await clients.track({"token": token, "event": "impression"})
        surfaces = [event.surface for event in await events_of(clients.edge)]
    assert surfaces == ["audio", "audio"]


async def test_a_mail_proxy_that_loads_an_ad_requested_by_a_server_is_invalid(
    clients: TrackClients,
) -> None:
    secret = {"Authorization": f"Bearer {clients.secret}"}
    for agent in ("Mozilla/5.0", BROWSER):
        served = await clients.get("/v1/serve?slot=mail", **secret)
        pixel = served.json()["impression_url"].removeprefix("https://edge.example")
        await clients.get(pixel, **{"User-Agent": agent})
    reasons = [event.reason for event in await events_of(clients.edge)]
    assert reasons == [Reason.MAIL_PRIVACY_PROXY, Reason.OK]
    assert {event.surface for event in await events_of(clients.edge)} == {"email"}


async def test_a_library_names_its_surface_and_others_cannot(clients: TrackClients) -> None:
    app = {"X-Placard-Client": "android/0.2.0"}
    surfaces = [
        await surface_of(clients, "slot=top", **app),
        await surface_of(clients, "slot=top", **app),  # of a reader met before
        await surface_of(clients, "slot=top&client=flutter/1.0"),
        await surface_of(clients, "slot=top&client=flutter/1.0"),
        await surface_of(clients, "slot=top&client=somebody/1.0"),
        await surface_of(clients, "slot=top&surface=ctv"),
        await surface_of(clients, "slot=top"),
    ]
    assert surfaces == ["android", "android", "flutter", "flutter", "web", "web", "web"]


async def test_a_server_may_name_only_an_existing_surface(clients: TrackClients) -> None:
    secret = {"Authorization": f"Bearer {clients.secret}"}
    assert await surface_of(clients, "slot=top&surface=ctv", **secret) == "ctv"
    assert await surface_of(clients, "slot=mail&surface=amp", **secret) == "amp"
    refused = await clients.get("/v1/serve?slot=top&surface=tv", **secret)
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "surface")
    assert "ctv" in refused.json()["error"]["message"]


async def test_a_server_with_a_publishable_key_names_it_where_the_property_says_so(
    tmp_path: Path,
) -> None:
    async with open_track_clients(tmp_path, a_property(server_rendering=True)) as clients:
        assert await surface_of(clients, "slot=top&surface=ctv") == "ctv"
