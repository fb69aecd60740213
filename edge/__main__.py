"""``python -m edge``: one edge machine, for one environment."""

import random
import sys

import uvloop
from pydantic import ValidationError

from common.clock import SystemClock
from common.secrets import KeyFileInvalid
from common.settings import explain_invalid
from edge.port import PortTaken
from edge.settings import EdgeSettings
from edge.supervisor import supervise
from edge.wiring import open_snapshot_source

_WRONG_SETTINGS = 2


def main() -> int:
    """The exit code: 0 after a signal, 2 for settings that cannot work, with a message for each."""
    try:
        settings = EdgeSettings()
        settings.key_ring()
        uvloop.run(_run(settings))
    except ValidationError as error:
        return _complain(explain_invalid(error, EdgeSettings))
    except (KeyFileInvalid, PortTaken) as error:
        return _complain(str(error))
    return 0


async def _run(settings: EdgeSettings) -> None:
    async with open_snapshot_source(settings) as source:
        await supervise(
            settings,
            source,
            clock=SystemClock(),
            rng=random.Random(),
            worker_command=(sys.executable, "-m", "edge.worker"),
        )


def _complain(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return _WRONG_SETTINGS


if __name__ == "__main__":
    sys.exit(main())
