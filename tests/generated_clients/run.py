"""
``make test-clients``: clients that generators make of the running stack's description, compiled, and five of them put
through a whole flow: slot, campaign, ad, activate, serve, track, events, report.

Prints one line of JSON a client; exit code 1 where one failed. Needs java, node, go and, for rust, cargo. Everything is
kept in ``var/generated_clients``; tools are fetched once, in the versions of ``versions.json``.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import orjson

from loadtests.users.stack import demo

HERE = Path(__file__).parent
WORK = Path("var/generated_clients").resolve()
TOOLS = WORK / "tools"
VERSIONS: dict[str, str] = orjson.loads((HERE / "versions.json").read_bytes())
_JAR = f"openapi-generator-cli-{VERSIONS['openapi-generator']}.jar"
_NO_FAULT = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name: null")
"""Warnings that say something of the generator, and nothing of the description."""

Command = list[str]


class _Failed(Exception):
    """A command ended badly; its output."""


@dataclass(frozen=True, slots=True)
class Client:
    """``compile`` and ``flow`` run in the client's folder; a flow reads its stack from the environment."""

    name: str
    generate: Callable[["Client"], str]
    """Gives the generator's output."""
    files: dict[str, str] = field(default_factory=dict)
    """Files of ``flows/`` by where they belong in the folder."""
    compile: tuple[Command, ...] = ()
    flow: Command | None = None
    strict: bool = True
    """Whether warnings count as faults."""

    @property
    def folder(self) -> Path:
        return WORK / self.name


def main(names: list[str]) -> int:
    stack = demo()
    TOOLS.mkdir(parents=True, exist_ok=True)
    answer = httpx.get(f"{stack['control_url']}/v1/openapi.json")
    (WORK / "openapi.json").write_bytes(answer.raise_for_status().content)
    chosen = [client for client in CLIENTS if not names or client.name in names]
    tried = [_try(client, _environment(stack)) for client in chosen]
    return 0 if all(tried) else 1


def _environment(stack: dict[str, object]) -> dict[str, str]:
    return dict(os.environ) | {"PLACARD_DEMO": orjson.dumps(stack).decode(), "PYTHONPATH": "."}


def _try(client: Client, environment: dict[str, str]) -> bool:
    started_s = time.monotonic()
    shutil.rmtree(client.folder, ignore_errors=True)
    client.folder.mkdir(parents=True)
    told: dict[str, object] = {"client": client.name}
    try:
        warnings = _warnings(client.generate(client))
        told["warnings"] = len(warnings)
        for place, source in client.files.items():
            target = client.folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / "flows" / source, target)
        for command in client.compile:
            _run(command, client.folder, environment)
        told["compiles"] = True
        if client.flow is not None:
            _run(client.flow, client.folder, environment)
            told["flow"] = True
        told["ok"] = not (client.strict and warnings)
        if warnings and client.strict:
            told["first_warnings"] = warnings[:3]
    except _Failed as failure:
        told |= {"ok": False, "failure": str(failure)[-2000:]}
    told["seconds"] = round(time.monotonic() - started_s, 1)
    print(orjson.dumps(told).decode(), flush=True)
    return bool(told["ok"])


def _warnings(output: str) -> list[str]:
    lines = [line for line in output.splitlines() if " WARN " in line or "WARNING" in line]
    return [line for line in lines if not any(known in line for known in _NO_FAULT)]


def _run(command: Command, folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise _Failed(f"{' '.join(command)}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return done.stdout + done.stderr


def _openapi_generator(language: str) -> Callable[[Client], str]:
    """With default options."""

    def generate(client: Client) -> str:
        if not (TOOLS / _JAR).exists():
            artifact = f"org.openapitools:openapi-generator-cli:{VERSIONS['openapi-generator']}:jar"
            target = f"-DoutputDirectory={TOOLS}"
            _run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", target], TOOLS)
        command = ["java", "-jar", str(TOOLS / _JAR), "generate", "-g", language]
        return _run([*command, "-i", "../openapi.json", "-o", "."], client.folder)

    return generate


def _python_client(client: Client) -> str:
    python = _python_tools()
    command = ["-m", "openapi_python_client", "generate", "--overwrite", "--meta", "none"]
    return _run(
        [str(python), *command, "--path", "../openapi.json", "--output-path", "placard_client"],
        client.folder,
    )


def _python_tools() -> Path:
    """A python with what the generated ones need; ours is left as it is."""
    python = TOOLS / "python" / "bin" / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(TOOLS / "python")], TOOLS)
        generator = f"openapi-python-client=={VERSIONS['openapi-python-client']}"
        needed = [generator, "python-dateutil", "urllib3", "typing-extensions"]
        _run([str(python), "-m", "pip", "install", "-q", *needed], TOOLS)
    return python


def _oapi_codegen(client: Client) -> str:
    tool = f"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v{VERSIONS['oapi-codegen']}"
    command = ["go", "run", tool, "-generate", "types,client", "-package", "placard"]
    (client.folder / "placard").mkdir()
    (client.folder / "go.mod").write_text("module placard.example/flow\n\ngo 1.24\n")
    return _run([*command, "-o", "placard/placard.go", "../openapi.json"], client.folder)


def _openapi_typescript(client: Client) -> str:
    _node_tools()
    command = str(TOOLS / "node_modules" / ".bin" / "openapi-typescript")
    return _run([command, "../openapi.json", "-o", "placard.ts"], client.folder)


def _typescript_fetch(client: Client) -> str:
    _node_tools()
    return _openapi_generator("typescript-fetch")(client)


def _node_tools() -> None:
    if not (TOOLS / "node_modules" / ".bin" / "tsc").exists():
        wanted = [f"{name}@{VERSIONS[name]}" for name in ("openapi-typescript", "typescript")]
        wanted.append("@types/node@20")
        _run(["npm", "install", "--prefix", str(TOOLS), "--no-audit", "--no-fund", *wanted], TOOLS)


_PYTHON = str(TOOLS / "python" / "bin" / "python")
_TSC = [str(TOOLS / "node_modules" / ".bin" / "tsc"), "-p", "."]
_GO_BUILD: tuple[Command, ...] = (["go", "mod", "tidy"], ["go", "build", "./..."])

CLIENTS: tuple[Client, ...] = (
    Client(
        "python-client",
        _python_client,
        files={"flow.py": "python_client.py"},
        compile=([_PYTHON, "-m", "compileall", "-q", "."],),
        flow=[_PYTHON, "flow.py"],
    ),
    Client(
        "python",
        _openapi_generator("python"),
        files={"flow.py": "python_generator.py"},
        compile=([_PYTHON, "-m", "pip", "install", "-q", "-r", "requirements.txt"],),
        flow=[_PYTHON, "flow.py"],
    ),
    Client(
        "typescript-fetch",
        _typescript_fetch,
        files={"flow.ts": "typescript_fetch.ts", "tsconfig.json": "tsconfig.json"},
        compile=(_TSC,),
        flow=["node", "built/flow.js"],
    ),
    Client(
        "go",
        _openapi_generator("go"),
        files={"cmd/flow/main.go": "go/main.go"},
        compile=_GO_BUILD,
        flow=["go", "run", "./cmd/flow"],
    ),
    Client(
        "oapi-codegen",
        _oapi_codegen,
        files={"main.go": "oapi_codegen/main.go"},
        compile=_GO_BUILD,
        flow=["go", "run", "."],
    ),
    Client(
        "openapi-typescript",
        _openapi_typescript,
        compile=([_TSC[0], "--strict", "--noEmit", "--target", "es2022", "placard.ts"],),
    ),
    Client(
        "java",
        _openapi_generator("java"),
        compile=(["mvn", "-q", "-B", "-Dmaven.test.skip=true", "compile"],),
    ),
    Client("rust", _openapi_generator("rust"), compile=(["cargo", "check", "-q"],), strict=False),
    Client("kotlin", _openapi_generator("kotlin")),
    Client("php", _openapi_generator("php")),
    Client("csharp", _openapi_generator("csharp")),
)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
