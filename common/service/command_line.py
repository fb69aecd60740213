"""``placard-server``: the command of an installed server. Runs a plane like ``python -m PLANE``."""

import runpy
import sys

_PLANES = ("control", "edge")
_USAGE = """\
Usage: placard-server {control|edge} [ARGUMENTS]

  control   the management API and its background processes; `placard-server control --help` lists them
  edge      one edge machine, for one environment; with --scenario FILE a fake one, for tests of apps and libraries

Settings come from PLACARD_* variables.
"""
_WRONG_USAGE = 2


def main() -> int:
    """Returns the exit code. A plane that ends by itself raises `SystemExit` with its own."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in _PLANES:
        asks_for_help = arguments[:1] in (["--help"], ["-h"])
        (sys.stdout if asks_for_help else sys.stderr).write(_USAGE)
        return 0 if asks_for_help else _WRONG_USAGE
    plane, *rest = arguments
    sys.argv = [f"placard-server {plane}", *rest]
    runpy.run_module(plane, run_name="__main__")
    return 0
