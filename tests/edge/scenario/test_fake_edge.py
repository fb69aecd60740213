"""``python -m edge --scenario FILE``, in a process of its own and asked over real connections."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from edge.scenario.file import Scenario, ScenarioInvalid, known_answers, read_scenario

_FORMATS = ("banner", "native", "html", "audio", "video", "email")


class FakeEdgeProcess:
    def __init__(self, process: asyncio.subprocess.Process, client: httpx.AsyncClient) -> None:
        self._process = process
        self.client = client

    async def serve(self, slot: str = "top", key: str = "pk_test_any") -> httpx.Response:
        return await self.client.get("/v1/serve", params={"slot": slot, "key": key})

    async def printed(self) -> Any:
        assert self._process.stdout is not None
        return orjson.loads(await self._process.stdout.readline())


@asynccontextmanager
async def _running(folder: Path, scenario: str) -> AsyncIterator[FakeEdgeProcess]:
    file = folder / "scenario.toml"
    file.write_text(scenario)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "edge", "--scenario", str(file), "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        url = orjson.loads(await process.stdout.readline())["url"]
        async with httpx.AsyncClient(base_url=url, timeout=30, trust_env=False) as client:
            yield FakeEdgeProcess(process, client)
    finally:
        process.terminate()
        await process.wait()


async def test_serve_answers_in_sequence_and_repeats_the_last(tmp_path: Path) -> None:
    named = (
        '"banner", "no_fill", "rate_limited", "error", "tenant_suspended", "daypart_not_targeted"'
    )
    own = '{status = 418, text = "tea"}'
    async with _running(tmp_path, f"serve = [{named}, {own}]") as edge:
        found = [await edge.serve() for _ in range(8)]

    assert [one.status_code for one in found] == [200, 204, 429, 500, 403, 204, 418, 418]
    assert found[2].headers["Retry-After"] == "1"
    assert found[3].json()["error"]["code"] == "internal"
    assert found[4].json()["error"]["code"] == "tenant_suspended"
    assert found[5].headers["X-No-Fill-Reason"] == "daypart_not_targeted"
    assert found[6].text == "tea"


async def test_a_slot_has_its_own_answers_and_each_format_leads_back_to_the_fake_edge(
    tmp_path: Path,
) -> None:
    slots = "\n".join(f'{name} = "{name}"' for name in _FORMATS)
    async with _running(tmp_path, f'serve = "no_fill"\n[slots]\n{slots}') as edge:
        ads = {name: (await edge.serve(name)).json() for name in _FORMATS}
        other = await edge.serve("other")
        clicked = await edge.client.get(ads["banner"]["click_url"])
        frame = ads["html"]["click_url"].replace("/v1/click/", "/v1/frame/")
        document = await edge.client.get(frame)

    assert {name: ad["format"] for name, ad in ads.items()} == {name: name for name in _FORMATS}
    assert other.status_code == 204
    assert clicked.status_code == 302
    assert document.status_code == 200
    assert b"https://edge.example" not in document.content + orjson.dumps(ads)
    assert ads["video"]["content"]["media"][0]["url"].startswith("data:video/mp4")
    assert ads["audio"]["content"]["media"][0]["url"].startswith("data:audio/")


async def test_faults_break_the_connection_where_the_file_says(tmp_path: Path) -> None:
    async with _running(tmp_path, 'serve = ["network", "cut", "banner"]') as edge:
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            await edge.serve()
        with pytest.raises(
            httpx.RemoteProtocolError, match="without sending complete message body"
        ):
            await edge.serve()
        after = await edge.serve()

    assert after.status_code == 200


async def test_a_delayed_answer_comes_after_one_that_is_not(tmp_path: Path) -> None:
    slots = (
        '[slots]\nlate = {answer = "banner", delay_ms = 600000}\nnever = "timeout"\nsoon = "banner"'
    )
    async with _running(tmp_path, slots) as edge:
        waiting = [asyncio.ensure_future(edge.serve(slot)) for slot in ("late", "never")]
        asked = [await edge.printed(), await edge.printed()]
        soon = await edge.serve("soon")
        done = [task.done() for task in waiting]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    assert {"slot=late" in one["target"] for one in asked} == {True, False}
    assert soon.status_code == 200
    assert done == [False, False]


async def test_only_keys_of_the_file_are_accepted(tmp_path: Path) -> None:
    async with _running(tmp_path, 'keys = ["pk_test_app"]\nfeatures = "kill_switch"') as edge:
        refused = await edge.serve(key="pk_test_other")
        served = await edge.serve(key="pk_test_app")
        header = {"X-Service-Key": "pk_test_app"}
        features = await edge.client.get("/v1/features", headers=header)

    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "invalid_key"
    assert served.status_code == 200
    assert features.json()["sdk"]["kill_switch"] is True


async def test_events_are_answered_one_by_one_and_in_a_batch_and_printed(tmp_path: Path) -> None:
    async with _running(tmp_path, 'track = ["counted", "duplicate", "expired"]') as edge:
        one = await edge.client.post("/v1/track", json={"token": "a", "event": "click"})
        events = [{"token": "a", "event": "click"}, {"token": "b", "event": "impression"}]
        many = await edge.client.post("/v1/track/batch", json={"events": events})
        printed = await edge.printed()

    assert one.headers["X-Track-Result"] == "counted"
    assert many.status_code == 200
    results = many.json()["results"]
    assert [(each["status"], each["result"]) for each in results] == [
        (204, "duplicate"),
        (410, None),
    ]
    assert results[1]["error"]["code"] == "token_expired"
    assert printed["method"] == "POST"
    assert orjson.loads(printed["body"]) == {"token": "a", "event": "click"}


async def test_pages_of_other_origins_may_ask(tmp_path: Path) -> None:
    async with _running(tmp_path, "") as edge:
        asked = await edge.client.options("/v1/serve")
        served = await edge.serve()

    assert asked.status_code == 204
    assert {one.headers["Access-Control-Allow-Origin"] for one in (asked, served)} == {"*"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('serve = "baner"', "serve: no answer is named 'baner'. Known: "),
        ('sevre = "banner"', "sevre: Extra inputs are not permitted"),
        ("serve = []", "serve: Value error, name at least one answer"),
        ("serve = [{delay_ms = 5}]", "serve: give each answer either `answer` or `status`."),
        ('[slots]\ntop = "x"', "slots.top: no answer is named 'x'."),
        ("serve =", "Invalid value"),
    ],
)
def test_a_wrong_file_is_refused_by_field(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(text)

    with pytest.raises(ScenarioInvalid) as refused:
        read_scenario(file)

    assert complaint in str(refused.value)
    assert str(file) in str(refused.value)


async def test_a_wrong_file_ends_the_program_with_2(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "edge", "--scenario", str(tmp_path / "missing.toml")),
        stderr=asyncio.subprocess.PIPE,
    )
    _, printed = await process.communicate()

    assert process.returncode == 2
    assert b"missing.toml: cannot be read: No such file or directory." in printed


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    toml, json = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text('serve = ["banner", {answer = "native", delay_ms = 9}]')
    json.write_text('{"serve": ["banner", {"answer": "native", "delay_ms": 9}]}')

    assert read_scenario(toml) == read_scenario(json)


def test_every_known_answer_can_be_sent() -> None:
    for name, answer in known_answers().items():
        assert ("fault" in answer) != ("status" in answer), name


_PAGE = Path(__file__).parents[3] / "docs" / "fake-edge.md"


async def test_the_example_of_its_page_answers_as_it_says(tmp_path: Path) -> None:
    example = _PAGE.read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    async with _running(tmp_path, example) as edge:
        found = [(await edge.serve()).status_code for _ in range(3)]
        broken = [(await edge.serve("broken")).status_code for _ in range(2)]
        tea = await edge.serve("teapot")

    assert (found, broken) == ([200, 204, 200], [429, 503])
    assert (tea.status_code, tea.headers["X-Tea"], tea.text) == (418, "green", "no coffee")


def test_the_page_of_the_fake_edge_names_answers_and_fields_that_exist() -> None:
    rows = [
        line.split("|")[1] for line in _PAGE.read_text("utf-8").splitlines() if line[:3] == "| `"
    ]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named <= known_answers().keys() | Scenario.model_fields.keys()
    assert named >= Scenario.model_fields.keys()
