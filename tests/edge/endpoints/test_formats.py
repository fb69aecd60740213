"""Ads of every format over a real connection: content passed through, markup beside it."""

import pytest

from common.contract.edge_models import ServedAd
from common.snapshot.codec import canonical_json
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.support.builders import a_campaign, a_key, a_property, a_slot, a_snapshot, an_ad
from tests.support.edge import running_edge
from tests.support.resources import CONTENT_OF

FIRST_TAG = {
    "banner": "<a ",
    "html": "<iframe ",
    "native": "<a ",
    "audio": "<a ",
    "video": "<video ",
    "email": "<table ",
}


@pytest.mark.parametrize("ad_format", list(Format))
async def test_an_ad_of_each_format_is_served_with_its_content(ad_format: Format) -> None:
    text, key = a_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    slot = a_slot(formats=(ad_format,), sizes=())
    campaign = a_campaign()
    content = CONTENT_OF[ad_format]
    ad = an_ad(campaign, format=ad_format, content=canonical_json(content))
    snapshot = a_snapshot(a_property(), key, slot, campaign, ad)

    async with running_edge(snapshot) as edge:
        answer = await edge.serve(f"slot={slot.key}&format={ad_format}", text.text)

    assert answer.status == 200
    served = ServedAd.model_validate(answer.json)
    assert (served.format, served.content) == (ad_format, content)
    assert served.html.startswith(FIRST_TAG[ad_format])
    assert served.viewability.duration_ms == (2_000 if ad_format is Format.VIDEO else 1_000)
