"""A started edge runs on real parts."""

from pathlib import Path

from common.values.environment import Environment
from edge import wiring
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.settings import EdgeSettings


def test_wiring_names_no_memory_adapter() -> None:
    assert "memory" not in "".join(
        line for line in Path(wiring.__file__).read_text("utf-8").splitlines() if "import" in line
    )
    assert not [name for name in vars(wiring) if "Memory" in name]


async def test_the_snapshot_source_is_redis_and_is_opened_without_it() -> None:
    settings = EdgeSettings(
        environment=Environment.TEST,
        redis_url="unix:///nobody/listens/here.sock",
        key_file=Path("key.json"),
        edge_url="http://127.0.0.1",
    )
    async with wiring.open_snapshot_source(settings) as (source, fallback):
        assert isinstance(source, RedisSnapshotSource)
        assert fallback is None
