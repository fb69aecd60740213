"""A migrated database for each test: a copy of one that was migrated once."""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import orjson
import pytest
import pytest_asyncio

from control.storage.database import Database
from tests.support.control_api import DatabaseTemplate
from tests.support.servers import RedisServer


@pytest.fixture
def database_url(migrated: DatabaseTemplate) -> Iterator[str]:
    url = migrated.new_database()
    yield url
    migrated.drop(url)


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    found = Database(database_url, pool_size=5)
    yield found
    await found.close()


@pytest.fixture
def settings(
    database_url: str, redis_server: RedisServer, namespace: str, tmp_path: Path
) -> dict[str, str]:
    key_file = tmp_path / "keys.json"
    key_file.write_bytes(
        orjson.dumps({"active": "k1", "keys": {"k1": b64encode(bytes(32)).decode()}})
    )
    return {
        "PLACARD_DATABASE_URL": database_url,
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
    }
