"""Refused forms: the summary names fields as their labels do, and a browser refuses nothing silently."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

import control.dashboard
from tests.support.browser import PHONE, check_width, opened
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, error_at
from tests.support.resources import Customer
from tests.support.visitor import visiting


async def test_the_summary_of_a_refused_form_names_fields_by_their_labels(
    api: ControlApi, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        page = seen.page
        await page.goto(f"{base_url}/sign-up")
        await page.evaluate("document.querySelector('main form').noValidate = true")
        await page.get_by_label("Password").fill("short")
        await page.get_by_role("button", name="Create account").click()

        links = page.get_by_role("alert").get_by_role("link")
        await expect(links).to_have_text(["Company name", "Email", "Password"])
        await links.last.click()
        await expect(page.get_by_label("Password")).to_be_focused()
        await check_width(seen)
        await seen.check_axe()


@pytest.mark.parametrize(
    ("path", "fields", "label", "error"),
    [
        ("/live/campaigns/new", {"bid_cents": "abc"}, "Bid (USD)", "Enter an amount, like $2.50."),
        ("/live/campaigns/new", {"bid_cents": "-3"}, "Bid (USD)", "Must be at least $0.01."),
        (
            "/live/campaigns/new",
            {"goal.kind": "clicks", "goal.total": "many"},
            "Target",
            "Enter a whole number, like 10.",
        ),
        (
            "/live/campaigns/new",
            {"start_at": "2026-03-02T00:00", "end_at": "2026-03-01T00:00"},
            "Ends",
            "The end must be later than the start.",
        ),
        (
            "/live/properties/new",
            {"kind": "app"},
            "Bundle id",
            "Required for this kind of property.",
        ),
        ("/wallet", {"amount_cents": "five"}, "Amount in USD", "Enter an amount, like $2.50."),
    ],
)
async def test_an_error_has_the_label_and_the_unit_of_its_field(
    api: ControlApi, path: str, fields: dict[str, str], label: str, error: str
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        usual = {"name": "A", "objective": "traffic", "pricing_model": "cpm", "bid_cents": "1"}
        page = LexborHTMLParser((await visitor.send(path, **(usual | fields))).text)

    (field,) = fields.keys() - {"start_at", "kind", "goal.kind"} or {"bundle_id"}
    assert error_at(page, field) == error
    summary = [" ".join(item.text().split()) for item in page.css("[role=alert] li")]
    assert f"{label}: {error}" in summary


_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_JINJA = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)


class _Lint(HTMLParser):
    """Collects controls of which a browser refuses the form without showing why. Both branches of a condition count."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.silent: list[str] = []
        self.feed(_JINJA.sub("", template))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_hidden = "hidden" in given or given.get("type") == "hidden"
        judged = {"required", "pattern", "min", "max"} & given.keys()
        if (
            (tag == "select" and "required" in given)
            or (tag in ("input", "textarea") and is_hidden and judged)
            or ("pattern" in given and not given.get("title"))
        ):
            self.silent.append(self.get_starttag_text() or tag)


def test_no_control_of_a_template_can_block_its_form_silently() -> None:
    """A list needs no ``required``: the server judges an empty choice. A pattern needs a title, which is shown."""
    texts = {path.name: path.read_text("utf-8") for path in _TEMPLATES.rglob("*.html")}

    assert {name: found for name, text in texts.items() if (found := _Lint(text).silent)} == {}


@pytest.mark.parametrize(
    "control_of_a_form",
    [
        "<select name=a{% if b > c %} required{% endif %}><option value=></select>",
        '<input required name=a value="{{ b }}" type=hidden>',
        "<input name=a hidden required>",
        "<textarea hidden name=a required></textarea>",
        "<input name=a pattern=[a-z]+>",
    ],
)
def test_a_control_that_can_block_silently_is_found(control_of_a_form: str) -> None:
    assert _Lint(control_of_a_form).silent


async def test_a_refused_copy_of_a_campaign_stays_in_its_open_form(api: ControlApi) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    campaign = await customer.make_campaign(await customer.make_site())
    async with visiting(api, person) as visitor:
        answer = await visitor.send(
            f"/live/campaigns/{campaign['id']}", act="clone", name="x" * 201, environment="live"
        )

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert attribute(page, "details.confirm[open] [name=name]", "value") == "x" * 201
    assert len(page.css("details.confirm[open]")) == 1
