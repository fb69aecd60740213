"""
``make test-clients``: clients that generators make of a running stack's description with default options, compiled, and
five of them put through a whole flow: slot, campaign, ad, activate, serve, track, events, report by campaign and slot.

Starts a stack of its own, as `make run` does, on free ports and in a folder of its own. Prints one line of JSON a
client and one of all; exit code 1 where one failed. ``flow`` null: compiled only. Generated code and tools are kept in
``var/generated_clients``; docs/generated-clients.md says what is covered and how long it takes.
"""

import os
import shutil
import subprocess
import sys
import time

import httpx
import orjson

from deploy.debian import NotInstalled
from deploy.standalone.background import Background, running_stack
from tests.generated_clients.clients import CLIENTS, HERE, Client
from tests.generated_clients.programs import WORK, Failed, install_programs, run


def main(names: list[str]) -> int:
    unknown = set(names) - {client.name for client in CLIENTS}
    if unknown:
        known = " ".join(client.name for client in CLIENTS)
        print(f"There is no client {' '.join(sorted(unknown))}. There are: {known}.")
        return 2
    chosen = [client for client in CLIENTS if not names or client.name in names]
    started_s = time.monotonic()
    try:
        install_programs({program for client in chosen for program in client.programs})
    except NotInstalled as error:
        print(error)
        return 1
    with running_stack({}) as stack:
        described = httpx.get(f"{stack.demo['control_url']}/v1/openapi.json")
        (WORK / "openapi.json").write_bytes(described.raise_for_status().content)
        environment = _environment(stack)
        failed = [client.name for client in chosen if not _passes(client, environment)]
    seconds = round(time.monotonic() - started_s)
    _print({"clients": len(chosen), "failed": failed, "ok": not failed, "seconds": seconds})
    return 1 if failed else 0


def _environment(stack: Background) -> dict[str, str]:
    """What a flow reads its stack from."""
    return dict(os.environ) | {"PLACARD_DEMO": orjson.dumps(stack.demo).decode()}


def _passes(client: Client, environment: dict[str, str]) -> bool:
    started_s = time.monotonic()
    result: dict[str, object] = {"client": client.name, "compiles": False, "flow": None}
    warnings: list[str] = []
    try:
        shutil.rmtree(client.folder, ignore_errors=True)
        client.folder.mkdir(parents=True)
        warnings += client.warnings_of(client.generate(client))
        _copy_files(client)
        for command in client.compile:
            warnings += client.warnings_of(run(command, client.folder, environment))
        result["compiles"] = bool(client.compile)
        if client.look_through is not None:
            warnings += client.look_through(client.folder)
        if client.flow is not None:
            result["flow"] = False
            run(client.flow, client.folder, environment)
            result["flow"] = True
        result["ok"] = not warnings
    except (Failed, subprocess.TimeoutExpired) as failure:
        result |= {"ok": False, "failure": str(failure)[-3000:]}
    result |= {"warnings": len(warnings), "seconds": round(time.monotonic() - started_s)}
    if warnings:
        result["first_warnings"] = warnings[:5]
    _print(result)
    return bool(result["ok"])


def _copy_files(client: Client) -> None:
    for place, source in client.files.items():
        target = client.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "flows" / source, target)


def _print(result: dict[str, object]) -> None:
    print(orjson.dumps(result).decode(), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
