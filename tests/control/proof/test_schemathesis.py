"""The API is asked everything its description allows, and much that it does not: every answer is as described."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from control.processes.app import OPERATIONS
from tests.control.matrix_registry import exceptions
from tests.control.proof.people import make_key, sign_up
from tests.control.proof.processes import api_processes
from tests.support.control_api import bearer
from tests.support.http_client import http_client

_CONFIG = Path(__file__).with_name("schemathesis.toml")
_PROGRAM = """
import sys
from schemathesis import hook
from schemathesis.cli import schemathesis

@hook
def filter_query(context, query):
    described = context.operation.definition.raw.get("parameters", ())
    lists = {one["name"] for one in described if one.get("schema", {}).get("type") == "array"}
    return not any((query or {}).get(name) in ("", [""]) for name in lists)

sys.exit(schemathesis())
"""
"""
A list with one empty item is left out: `kind=` is how OpenAPI writes the empty list (3.1, "Style Values", ``form``).
"""
_ENDS_SESSION = frozenset({"signOut", "revokeSession", "revokeOtherSessions"})
"""Whoever calls them is locked out, and asks nothing more."""
_FEW = ("--phases", "examples,fuzzing,stateful", "--max-examples", "10")
_MANY = ("--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "100")


@dataclass(frozen=True, slots=True)
class Target:
    url: str
    folder: Path
    tokens: dict[Auth, str]

    async def ask_everything(self, auth: Auth, *options: str) -> None:
        """Fails with Schemathesis's report. The caller must still come in at the end, or little was asked."""
        token = self.tokens[auth]
        description = await self._description()
        endless = exceptions("endless")
        requested = [o.id for o in OPERATIONS if _is_for(auth, o) and o.id not in endless]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, "--config-file", str(_CONFIG), "run"),
            *(str(description), "--url", self.url, "--header", f"Authorization: Bearer {token}"),
            *(part for name in requested for part in ("--include-operation-id", name)),
            *("--checks", "all", "--continue-on-failure", "--no-color", "--seed", "1"),
            *("--generation-database", "none", "--warnings", "off", *options),
            cwd=self.folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        text, _ = await process.communicate()
        assert process.returncode == 0, text.decode()
        async with http_client(base_url=self.url, headers=bearer(token)) as http:
            me = await http.get("/v1/me")
            assert me.is_success, f"the caller was locked out on the way: {me.text}"

    async def _description(self) -> Path:
        """As it is served, without the paths of the edge."""
        async with http_client(base_url=self.url) as http:
            document: dict[str, Any] = (await http.get("/v1/openapi.json")).json()
        ours = {operation.path for operation in OPERATIONS}
        document["paths"] = {path: item for path, item in document["paths"].items() if path in ours}
        file = self.folder / "openapi.json"
        file.write_bytes(orjson.dumps(document))
        return file


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def target(
    database_url: str, servers_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Target]:
    async with (
        api_processes(database_url, servers_folder, 1) as (one,),
        http_client(base_url=one.url) as http,
    ):
        # Of two accounts: an owner may revoke the account's keys.
        token = await sign_up(http)
        http.headers.update(bearer(await sign_up(http)))
        tokens = {Auth.ACCESS_TOKEN: token, Auth.INTEGRATION_KEY: await make_key(http)}
        yield Target(one.url, tmp_path_factory.mktemp("schemathesis"), tokens)


every_auth = pytest.mark.parametrize("auth", [Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY])


@every_auth
async def test_every_answer_is_as_described(target: Target, auth: Auth) -> None:
    await target.ask_everything(auth, *_FEW)


@pytest.mark.long
@every_auth
async def test_every_answer_to_hundreds_of_questions_is_as_described(
    target: Target, auth: Auth
) -> None:
    await target.ask_everything(auth, *_MANY)


def _is_for(auth: Auth, operation: Operation) -> bool:
    return operation.id not in _ENDS_SESSION and (not operation.auth or auth in operation.auth)
