"""A response rendered from a template is the JSON of its fields."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.snapshot.codec import canonical_json
from common.tracking.token import TokenTexts
from common.values.enums import Format, Source, Surface
from common.values.environment import Environment
from edge.serving.render.ad import as_json
from edge.serving.render.issue_token import Issued
from edge.serving.render.markup import ad_template, fill_template
from tests.support.builders import a_property, a_snapshot, a_stock, an_ad

ISSUED = Issued("id", TokenTexts("track", "i", "c"), "https://edge.example")


@given(title=st.text(min_size=1, max_size=20), body=st.text(max_size=40))
def test_any_text_of_an_ad_is_encoded_unchanged(title: str, body: str) -> None:
    stock = a_stock()
    content = {"title": title.replace("\0", ""), "body": body.replace("\0", "")}
    ad = an_ad(stock.campaign, format=Format.NATIVE, content=canonical_json(content))
    opportunity = Opportunity(
        environment=Environment.LIVE,
        property=a_property(),
        slot=stock.slot,
        format=None,
        width=None,
        height=None,
        surface=Surface.WEB,
        preview_ad_id=None,
        consent_limited=False,
        child_directed=False,
    )

    answer = as_json(
        a_snapshot(*stock.objects, ad),
        Fill(stock.campaign, ad, Source.AUCTION, 1),
        opportunity,
        ISSUED,
        None,
    )

    assert answer.body is not None
    found = orjson.loads(answer.body)
    assert found["content"] == content
    assert found["html"] == fill_template(ad_template(ad), ISSUED.click_url)
    assert (found["decision_id"], found["track_token"], found["click_url"]) == (
        ISSUED.decision_id,
        ISSUED.track_token,
        ISSUED.click_url,
    )
