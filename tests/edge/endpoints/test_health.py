from tests.support.builders import a_snapshot
from tests.support.edge import running_edge


async def test_alive_before_ready() -> None:
    async with running_edge(None) as edge:
        alive = await edge.get("/livez")
        ready = await edge.get("/readyz")
        edge.adopt(a_snapshot())
        after = await edge.get("/readyz")
    assert (alive.status, ready.status, after.status) == (200, 503, 200)
    assert ready.code == "unavailable"
