"""Work in a process of its own: for files that may crash a decoder, and for what would block the event loop."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import common

_ROOT = Path(common.__file__).resolve().parents[1]
_PIPE, _NOTHING = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL


async def run_module(
    module: str,
    *arguments: str,
    wall_s: float,
    stdin: bytes | None = None,
    descriptors: Sequence[int] = (),
) -> bytes | None:
    """
    Runs ``python -m MODULE ARGUMENTS`` without this process's environment; it inherits *descriptors* alone.

    Returns what it printed; None where it failed, printed nothing, or was killed after *wall_s*.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-E", "-s", "-m", module, *arguments),
        stdin=_NOTHING if stdin is None else _PIPE,
        stdout=_PIPE,
        stderr=_NOTHING,
        pass_fds=descriptors,
        cwd=_ROOT,
        env={"LANG": "C.UTF-8"},
    )
    try:
        async with asyncio.timeout(wall_s):
            output, _ = await process.communicate(stdin)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output if process.returncode == 0 and output else None
