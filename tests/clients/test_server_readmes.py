"""The README of each library for servers: its programs, pasted into a new project, against a running stack."""

import asyncio
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.standalone.background import Background
from tests.clients.publisher import ROOT

pytestmark = pytest.mark.toolchains

_CLIENTS = ROOT / "clients"


def _python(_folder: Path, program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def _node(folder: Path, program: str) -> tuple[str, ...]:
    (folder / "node_modules" / "@placard").mkdir(parents=True)
    (folder / "node_modules" / "@placard" / "server").symlink_to(_CLIENTS / "node")
    (folder / "main.mjs").write_text(program)
    return ("node", "main.mjs")


def _go(folder: Path, program: str) -> tuple[str, ...]:
    (folder / "main.go").write_text(program)
    name = "placard.example/placard/clients/go"
    needed = f"require {name} v0.0.0\nreplace {name} => {_CLIENTS / 'go'}\n"
    (folder / "go.mod").write_text(f"module example\n\ngo 1.24\n\n{needed}")
    return ("go", "run", ".")


def _php(folder: Path, program: str) -> tuple[str, ...]:
    (folder / "vendor").mkdir()
    (folder / "vendor" / "autoload.php").symlink_to(_CLIENTS / "php" / "tests" / "autoload.php")
    (folder / "main.php").write_text(program)
    return ("php", "-d", "display_errors=stderr", "main.php")


@pytest.mark.parametrize(
    ("name", "project"), [("python", _python), ("node", _node), ("go", _go), ("php", _php)]
)
async def test_the_programs_of_a_readme_run(
    streams_stack: Background,
    tmp_path: Path,
    name: str,
    project: Callable[[Path, str], tuple[str, ...]],
) -> None:
    demo = streams_stack.demo
    variables = {
        "PLACARD_EDGE_URL": demo["edge_test_url"],
        "PLACARD_EDGE_KEY": demo["keys"]["sk_test"]["key"],
        "PLACARD_BASE_URL": demo["control_url"],
        "PLACARD_MANAGEMENT_KEY": demo["keys"]["ak_test"]["key"],
        "PYTHONPATH": str(_CLIENTS / "python"),
    }
    text = (_CLIENTS / name / "README.md").read_text()
    programs = re.findall(r"^```(?:python|js|go|php)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    outputs = []
    for number, program in enumerate(programs):
        folder = tmp_path / str(number)
        folder.mkdir()
        process = await asyncio.create_subprocess_exec(
            *project(folder, program),
            cwd=folder,
            env={**os.environ, **variables},  # noqa: TID251 - a program needs its own
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        outputs.append(output.decode())

    served, listed = outputs
    assert "<" in served
    assert re.match(r"[0-9a-f-]{36} ", listed)
