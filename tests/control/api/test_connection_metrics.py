"""The management API's metrics of its connections."""

from prometheus_client import generate_latest

from tests.support.control_api import ControlApi
from tests.support.raw_http import connection, read_answer


async def test_open_connections_are_counted(api: ControlApi) -> None:
    async with connection(api.port) as (reader, writer):
        writer.write(b"GET /livez HTTP/1.1\r\nHost: test\r\n\r\n")
        assert (await read_answer(reader)).status == 200
        lines = generate_latest(api.control.metrics.registry).decode().splitlines()
    counted = dict(line.split() for line in lines if line.startswith("placard_control_connections"))
    assert float(counted["placard_control_connections_open"]) >= 1
    assert counted["placard_control_connections_refused_total"] == "0.0"
    assert counted["placard_control_connections_stalled_total"] == "0.0"
