"""The key file is rotated under traffic, lost, and restored."""

import base64
import json
import os
import secrets
import signal
from pathlib import Path
from typing import Any

from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, under_traffic
from deploy.drills.oracle import Traffic

_COUNT = 100


async def rotate_and_lose_the_key_file() -> Figures:
    figures = Figures("key-file", "python -m control doctor")
    async with under_traffic() as (on, traffic):
        await _drill(on, traffic, figures)
    return figures


async def _drill(on: Ground, traffic: Traffic, figures: Figures) -> None:
    path = on.stack.state / "keys.json"
    edges = on.stack.state / "edge-keys.json"
    issued = await traffic.serve(_COUNT)
    with figures.timed("rotation"):
        _write(path, _with_new_key(json.loads(path.read_bytes())))
        on.check_control("keys", "derive-edge", "--output", str(edges))
        _renew(on)
        await traffic.track(issued)
        await traffic.until_it_serves()
    figures.notes["tokens_of_the_old_key_acknowledged"] = len(traffic.acknowledged)

    kept = path.read_bytes()
    path.unlink()
    edges.unlink()
    _renew(on)
    await traffic.show(_COUNT)
    figures.notes["doctor_without_it"] = on.run_control("doctor").returncode
    figures.notes["api_starts_without_it"] = on.run_control("api").returncode == 0
    with figures.timed("recovery"):
        _write(path, json.loads(kept))
        on.check_control("keys", "derive-edge", "--output", str(edges))
        _renew(on)
        await traffic.until_it_serves()
        verdict = await traffic.settle()
    figures.of(traffic, verdict)


def _with_new_key(content: dict[str, Any]) -> dict[str, Any]:
    """The old key stays, because it opens what it sealed; the new one is active."""
    name = f"k{len(content['keys']) + 1}"
    key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    return {"active": name, "keys": {**content["keys"], name: key}}


def _write(path: Path, content: dict[str, Any]) -> None:
    new = path.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(json.dumps(content), encoding="utf-8")
    new.replace(path)


def _renew(on: Ground) -> None:
    """Edges replace their workers, which read the file again."""
    for environment in ("live", "test"):
        os.kill(on.stack.edge_supervisor(environment), signal.SIGHUP)
