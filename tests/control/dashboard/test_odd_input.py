"""What nobody types into a page is answered in words, never as a fault of ours, and changes nothing."""

import pytest

from control.dashboard.ads.fields import assets_of
from control.dashboard.form_body import money
from tests.support.control_api import ControlApi
from tests.support.forms import sent_of
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, text_of, visiting

_PLACES = [
    "campaigns?q=",
    "ads?status=",
    "events?kind=",
    "reports?by=",
    "keys?status=",
    "properties?cursor=",
    "keys/new?find.property_id=",
    "choices?of=campaign&q=",
    "choices?of=slot&property_id=",
]


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("odd", ["%00", "%ff", "%ed%a0%80", "x" * 3000])
async def test_an_odd_parameter_causes_no_internal_error(
    api: ControlApi, place: str, odd: str
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.http.get(f"/test/{place}{odd}")

        assert answer.status_code < 500, answer.text


async def test_too_many_parameters_are_refused(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.http.get("/live?" + "&".join(f"p{n}=1" for n in range(101)))

        assert answer.status_code == 422
        assert "at most 100" in answer.text


async def test_a_name_with_a_zero_byte_is_refused_at_its_field(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        fields = {"act": "property", "kind": "web", "domain": "a.example.com", "timezone": "UTC"}

        answer = await visitor.send("/test/first-steps", name="a\0b", **fields)

        assert answer.status_code == 422
        assert "U+0000" in answer.text
        assert "Add your site or app" in text_of(await visitor.look("/test/first-steps"))


async def test_a_search_for_a_zero_byte_finds_nothing(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        typed = {"act": "find", "find.property_id": "\0", "property_ids": "\0"}
        answer = await visitor.http.post("/test/campaigns/new", data=typed, headers=FROM_OUR_PAGE)

        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("body", [b"\xff\xfe=\xff", b"act=%00", b"act=%ff&name=%00", b"&&&"])
async def test_a_body_that_is_not_a_form_causes_no_internal_error(
    api: ControlApi, body: bytes
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        headers = FROM_OUR_PAGE | {"Content-Type": "application/x-www-form-urlencoded"}

        answer = await visitor.http.post("/test/first-steps", content=body, headers=headers)

        assert answer.status_code < 500, answer.text


@pytest.mark.parametrize("number", ["25", "025", "\u00b2", "1.2"])
def test_an_odd_number_of_a_rendition_is_left_out(number: str) -> None:
    assert assets_of({f"asset_ids.media.{number}": ["an asset"]}) == {}


@pytest.mark.parametrize("version", ["9" * 5_000, "\u0663", "-1"])
async def test_an_odd_version_is_as_if_none_had_been_sent(api: ControlApi, version: str) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    async with visiting(api, person) as visitor:
        path = f"/live/campaigns/{campaign['id']}/edit"
        sent = sent_of(await visitor.look(path), ".campaign-form") | {"version": [version]}
        answer = await visitor.http.post(path, data=sent, headers=FROM_OUR_PAGE)

    assert answer.status_code == 303


@pytest.mark.parametrize(
    ("typed", "cents"),
    [
        *(("1234.5", 123_450), ("1,234.50", 123_450), ("1.234,50", 123_450), ("12,5", 1_250)),
        *(("1,234", 123_400), ("1.234.567", 123_456_700), ("-1,234", -123_400), ("0,500", 50)),
        *((odd, odd) for odd in ("0.125", ".125", "1234.567", "12345,678", "1.2.3", "-0.005")),
    ],
)
def test_an_amount_is_read_as_it_is_written_or_refused(typed: str, cents: int | str) -> None:
    assert money([typed]) == cents
