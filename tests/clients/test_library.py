"""The web library in Node: its cases, its weight, and that what is committed is what is built."""

import asyncio

from tests.clients.publisher import ROOT

_LIBRARY = ROOT / "clients" / "web"


async def _run(*command: str) -> str:
    """Returns its output. Raises AssertionError with all of it if it fails."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=_LIBRARY,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    text, _ = await process.communicate()
    assert process.returncode == 0, text.decode()
    return text.decode()


async def test_every_case_that_needs_no_page_holds_in_the_built_module() -> None:
    text = await _run("npm", "test", "--silent")

    assert "# fail 0" in text
    assert "# pass 0" not in text


async def test_the_committed_files_are_fresh_and_light_enough() -> None:
    text = await _run("./build.sh", "--check")

    assert "placard.js:" in text
    assert "embed.js:" in text


async def test_the_package_is_one_that_bundlers_understand() -> None:
    await _run("./build.sh", "--check")

    text = await _run("npm", "run", "check", "--silent")

    assert "All good!" in text
