"""Links to finished files: whoever holds one reads the file, for a while, and nobody else does."""

from datetime import timedelta

from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.exports.conftest import EXPORTS, Exporter
from tests.support.control_api import code_of
from tests.support.moved_clock import MovedClock


async def test_the_file_comes_as_a_download_that_nobody_keeps(
    exporter: Exporter, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    export = await exporter.made()

    file = await exporter.download(export)
    head = await exporter.download(export, "HEAD")

    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    disposition = file.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="placard-events-')
    assert disposition.endswith('.csv"')
    assert file.headers["cache-control"] == "private, no-store"
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["etag"] == f'"{export["sha256"]}"'
    assert int(file.headers["content-length"]) == len(file.content) == export["bytes"]
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == file.headers["content-length"]


async def test_a_large_file_comes_whole(exporter: Exporter, world: World, edge: Edge) -> None:
    for _ in range(3):
        await world.ingest([edge.event() for _ in range(1000)])
    export = await exporter.made(format="ndjson")

    file = await exporter.download(export)

    assert len(file.content) == export["bytes"] > 1_000_000
    assert file.content.count(b"\n") == 3000


async def test_a_link_that_was_changed_leads_nowhere(exporter: Exporter) -> None:
    url = (await exporter.made())["url"]
    other = (await exporter.made())["url"]
    path, query = url.split("?")
    for changed in (
        f"{path}?{query[:-2]}AA",
        f"{path}?{query.replace('expires=1', 'expires=2')}",
        f"{path.replace('.csv', '.exe')}?{query}",
        f"{other.split('?')[0]}?{query}",
        f"{path}?{query.partition('&')[0]}",
        f"{path}?expires=&signature=",
        path,
    ):
        answer = await exporter.download({"url": changed})
        assert (answer.status_code, code_of(answer)) == (404, "not_found"), changed


async def test_every_reading_gives_a_link_that_ends(exporter: Exporter, clock: MovedClock) -> None:
    export = await exporter.made()
    clock.advance(timedelta(seconds=exporter.api.control.settings.export_link_s + 1))

    ended = await exporter.download(export)
    fresh = await exporter.get(export["id"])

    assert (ended.status_code, code_of(ended)) == (410, "token_expired")
    assert (await exporter.download(fresh)).status_code == 200


async def test_no_link_outlives_its_file(exporter: Exporter) -> None:
    control = exporter.api.control
    before = control.settings
    control.settings = before.model_copy(update={"export_retention_s": before.export_link_s - 1})
    export = await exporter.made()
    control.settings = before

    assert export["url_expires_at"] == export["expires_at"]


async def test_a_deleted_exports_link_leads_nowhere(exporter: Exporter) -> None:
    export = await exporter.made()
    await exporter.api.http.delete(f"{EXPORTS}/{export['id']}", headers=exporter.headers)

    assert (await exporter.download(export)).status_code == 404


async def test_other_methods_are_not_allowed(exporter: Exporter) -> None:
    answer = await exporter.download(await exporter.made(), "POST")

    assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
