"""A migrated database for each test: a copy of one that was migrated once."""

from base64 import b64encode
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import orjson
import pytest
import pytest_asyncio
from sqlalchemy.engine import make_url

from control.storage.database import Database
from control.storage.migrate import migrate
from tests.support.servers import PostgresServer, RedisServer

_numbers = count(1)


@pytest_asyncio.fixture(scope="session")
async def migrated(postgres_server: PostgresServer) -> str:
    """The name of a database nobody is connected to."""
    url = postgres_server.new_database()
    await migrate(url)
    return make_url(url).database or ""


@pytest.fixture
def database_url(postgres_server: PostgresServer, migrated: str) -> str:
    name = f"publishing_{next(_numbers)}"
    postgres_server.query(f"CREATE DATABASE {name} TEMPLATE {migrated} STRATEGY file_copy")
    return postgres_server.database_url(name)


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
