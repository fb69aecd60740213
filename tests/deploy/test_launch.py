"""A server that must not run as root finds its files even below a private folder."""

import tempfile
from pathlib import Path

from tests.support.servers import PostgresServer


def test_postgres_starts_below_a_folder_only_its_owner_may_enter() -> None:
    with tempfile.TemporaryDirectory(prefix="pl-", dir="/tmp") as folder:
        Path(folder).chmod(0o700)
        server = PostgresServer(Path(folder, "deep", "er"))
        server.start()
        assert server.query("SELECT 1") == "1"
        server.stop()
