"""The code blocks of the guides, each run as its reader would paste it, against a real edge or control plane."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from common.values.environment import Environment
from common.values.keys import KeyKind
from control.dashboard.docs import guides
from control.dashboard.docs.calls import programs_of
from tests.clients.library_driver import PHP, install_programs
from tests.clients.publisher import publishing
from tests.edge.tracking.track_clients import open_track_clients, stored_conversions
from tests.support.builders import a_key, a_snapshot
from tests.support.control_api import ControlApi
from tests.support.edge import running_edge
from tests.support.worker import events_of

_DEMO_SOUND_MS = 2_160


def _go(folder: Path, program: str) -> tuple[str, ...]:
    install_programs({"go": "golang-go"})
    (folder / "main.go").write_text(program)
    return ("go", "run", "main.go")


def _php(folder: Path, program: str) -> tuple[str, ...]:
    install_programs(PHP)
    (folder / "main.php").write_text(program)
    return ("php", "-d", "display_errors=stderr", "main.php")


_COMMANDS: dict[str, Callable[[Path, str], tuple[str, ...]]] = {
    "sh": lambda _, program: ("bash", "-euo", "pipefail", "-c", program),
    "python": lambda _, program: (sys.executable, "-c", program),
    "js": lambda _, program: ("node", "--input-type=module", "-e", program),
    "go": _go,
    "php": _php,
}
LANGUAGES = [
    *("sh", "python", "js"),
    *(pytest.param(name, marks=pytest.mark.toolchains) for name in ("go", "php")),
]


def _blocks(guide: str, language: str) -> list[str]:
    (found,) = (one for one in guides.list_guides() if one.name == guide)
    return re.findall(rf"^```{language}\n(.*?)^```$", found.source, re.MULTILINE | re.DOTALL)


async def _run(
    folder: Path, guide: str, language: str, values: dict[str, str], **variables: str
) -> str:
    """The output of the guide's block in *language* with its placeholders replaced, as on the page."""
    (program,) = _blocks(guide, language)
    return await _run_program(folder, program, language, values, **variables)


async def _run_program(
    folder: Path, program: str, language: str, values: dict[str, str], **variables: str
) -> str:
    program = _filled_in(program, values)
    process = await asyncio.create_subprocess_exec(
        *_COMMANDS[language](folder, program),
        cwd=folder,
        env={**os.environ, **variables},  # noqa: TID251 - a program needs its own
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode()


def _filled_in(block: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        block = block.replace(name, value)
    return block


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """For the program, beside what the edge writes."""
    made = tmp_path / "program"
    made.mkdir()
    return made


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_first_ad_is_served_and_its_impression_stored(
    tmp_path: Path, folder: Path, language: str
) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        values = {
            guides.EDGE_TEST: str(clients.http.base_url).rstrip("/"),
            guides.TEST_KEY: clients.publishable,
        }
        shown = await _run(folder, "first-ad", language, values)
        events = await events_of(clients.edge)

    assert shown.strip() == "204"
    assert len(events) == 1


async def test_the_element_on_a_page_shows_an_ad_and_reports_its_impression(
    chromium: Browser,
) -> None:
    async with publishing(chromium) as publisher:
        values = {
            guides.CONTROL: publisher.origin,
            guides.EDGE_TEST: publisher.edge_url,
            guides.TEST_KEY: publisher.key,
        }
        publisher.site.page(
            "127.0.0.1/guide",
            f'<!doctype html><meta charset="utf-8"><title>Guide</title>{_html_of("first-ad", values)}',
            "Content-Type: text/html; charset=utf-8",
        )
        page = await publisher.context.new_page()
        await page.goto(f"{publisher.origin}/guide")
        await expect(page.get_by_role("img", name="Test ad")).to_be_visible()

        assert await publisher.kept(1, "impression")


async def test_the_pixel_of_a_thank_you_page_reports_a_conversion(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        click_id = clients.edge.click_ids.sign(uuid4())
        html = LexborHTMLParser(_html_of("conversions", {"CLICK_ID": click_id}))
        (image,) = html.css("img")
        address = (image.attributes["src"] or "").removeprefix(guides.EDGE_TEST)
        shown = await clients.get(address)
        (stored,) = await stored_conversions(clients.edge)

    assert shown.status_code == 200
    assert (stored.event_name, stored.value_cents, stored.currency, stored.order_id) == (
        *("purchase", 4990),
        *("EUR", "A-1001"),
    )


def _html_of(guide: str, values: dict[str, str]) -> str:
    (block,) = _blocks(guide, "html")
    return _filled_in(block, values)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_conversion_is_accepted(tmp_path: Path, folder: Path, language: str) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        values = {guides.EDGE_TEST: str(clients.http.base_url).rstrip("/")}
        shown = await _run(folder, "conversions", language, values, SECRET_KEY=clients.secret)

    assert json.loads(shown)["conversion_id"]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_mailing_is_prepared(tmp_path: Path, folder: Path, language: str) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        values = {guides.EDGE_TEST: str(clients.http.base_url).rstrip("/")}
        shown = await _run(folder, "email", language, values, SECRET_KEY=clients.secret)

    (item,) = json.loads(shown)["items"]
    assert (item["ref"], item["status"]) == ("r1", "filled")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_session_of_sound_has_an_ad(folder: Path, language: str) -> None:
    secret, key = a_key(KeyKind.SECRET, Environment.TEST)
    async with running_edge(a_snapshot(key, environment=Environment.TEST)) as edge:
        values = {guides.EDGE_TEST: f"http://127.0.0.1:{edge.port}"}
        shown = await _run(folder, "sound", language, values, SECRET_KEY=secret.text)

    assert json.loads(shown)["filled_ms"] == _DEMO_SOUND_MS


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_integration_key_sees_what_is_blocked(
    api: ControlApi, folder: Path, language: str
) -> None:
    key = await api.add_key(await api.sign_up(), KeyKind.INTEGRATION, Environment.LIVE)
    values = {guides.CONTROL: str(api.http.base_url).rstrip("/")}
    shown = json.loads(await _run(folder, "go-live", language, values, PLACARD_KEY=key.text.text))

    assert shown["permissions"]
    assert [one["code"] for one in shown["blocks"]] == ["property_unverified"]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_example_of_the_reference_creates_its_object(
    api: ControlApi, folder: Path, language: str
) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    document = (await api.http.get("/v1/openapi.json")).json()
    item = document["paths"]["/v1/slots"]["post"]
    base_url = str(api.http.base_url).rstrip("/")
    programs = {one.language: one.text for one in programs_of(base_url, "POST", "/v1/slots", item)}
    example = item["requestBody"]["content"]["application/json"]["example"]
    values = {"at_…": person.access_token, example["property_id"]: property_id}

    shown = await _run_program(folder, programs[language], language, values)

    assert json.loads(shown)["key"] == example["key"]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_campaigns_of_another_server_become_drafts_once(
    api: ControlApi, folder: Path, language: str
) -> None:
    person = await api.sign_up()
    key = await api.add_key(person)
    line = "{},Spring sale,250,2099-03-01T00:00:00Z,2099-04-01T00:00:00Z\n"
    of_windows = line.format(4711).replace("\n", "\r\n")
    (folder / "campaigns.csv").write_text(of_windows + line.format(4712))
    values = {guides.CONTROL: str(api.http.base_url).rstrip("/")}

    first, again = [
        await _run(folder, "import", language, values, PLACARD_KEY=key.text.text) for _ in range(2)
    ]
    listed = await api.http.get(
        "/v1/campaigns", params={"environment": "test"}, headers=person.headers
    )

    assert first.splitlines() == ["4711 created", "4712 created"]
    assert again.splitlines() == ["4711 is there", "4712 is there"]
    found = {
        (one["external_ref"], one["bid_cents"], one["status"]) for one in listed.json()["data"]
    }
    assert found == {("4711", 250, "draft"), ("4712", 250, "draft")}


@pytest.mark.parametrize(
    ("guide", "expected"),
    [("film", "<MediaFile "), ("consent", '"personal":false'), ("server-rendering", "track_token")],
)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_ad_is_served(
    tmp_path: Path, folder: Path, guide: str, expected: str, language: str
) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        values = {
            guides.EDGE_TEST: str(clients.http.base_url).rstrip("/"),
            guides.TEST_KEY: clients.publishable,
        }
        shown = await _run(folder, guide, language, values, SECRET_KEY=clients.secret)

    assert expected in shown


@pytest.mark.parametrize("guide", [one.name for one in guides.list_guides()])
def test_a_guide_has_an_example_in_each_language(guide: str) -> None:
    assert [len(_blocks(guide, language)) for language in _COMMANDS] == [1] * len(_COMMANDS)


def test_every_block_of_a_guide_is_run() -> None:
    """One in HTML is run by a test of its own."""
    found = {
        (one.name, language)
        for one in guides.list_guides()
        for language in re.findall(r"^```(\w+)$", one.source, re.MULTILINE)
        if language not in _COMMANDS
    }

    assert found == {("first-ad", "html"), ("conversions", "html")}
