"""The embedded PostgreSQL comes back from whatever happened to it."""

import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.support.servers import PostgresServer


async def test_a_new_database_is_empty(postgres_server: PostgresServer) -> None:
    connection = await asyncpg.connect(postgres_server.new_database())
    tables = await connection.fetch("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    await connection.close()
    assert tables == []


async def test_postgres_keeps_committed_rows_when_killed(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    postgres_server.kill()
    postgres_server.start()
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await connection.fetch("SELECT 1")
    again = await asyncpg.connect(url)
    assert await again.fetchval("SELECT n FROM kept") == 7
    await again.close()


def test_postgres_starts_over_the_pid_file_of_another_program(tmp_path: Path) -> None:
    server = PostgresServer(tmp_path)
    server.start()
    pid_file = tmp_path / "data" / "postmaster.pid"
    noted = pid_file.read_text(encoding="utf-8").splitlines()
    server.kill()
    pid_file.write_text("\n".join([str(os.getpid()), *noted[1:]]), encoding="utf-8")
    server.start()
    assert server.query("SELECT 1") == "1"
    server.stop()


def test_postgres_makes_its_data_again_when_that_was_cut_short(tmp_path: Path) -> None:
    (tmp_path / "data.new" / "base").mkdir(parents=True)
    server = PostgresServer(tmp_path)
    server.start()
    assert server.query("SELECT 1") == "1"
    server.stop()


def test_postgres_starts_again_when_its_starter_was_killed(tmp_path: Path) -> None:
    start_and_die = (
        "import os, pathlib, sys\n"
        "from tests.support.servers import PostgresServer\n"
        "server = PostgresServer(pathlib.Path(sys.argv[1]))\n"
        "server.start()\n"
        "server.query('CREATE DATABASE kept')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    died = subprocess.run([sys.executable, "-c", start_and_die, str(tmp_path)], check=False)
    assert died.returncode == -9
    server = PostgresServer(tmp_path)
    server.start()
    assert "kept" in server.query("SELECT datname FROM pg_database").split()
    server.stop()
