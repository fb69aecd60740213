"""
``python -m deploy.compose``: ``up`` brings the services of the compose file up, ``down`` stops them, ``secrets`` writes
what they need to know of each other, ``demo`` makes the demo's data in them and prints its addresses and keys.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import orjson

from deploy.compose.demo import make_demo_data
from deploy.compose.project import Project
from deploy.compose.secrets import FOLDER, make_secrets
from deploy.debian import NotInstalled
from deploy.images.engine import Engine, ImageError
from deploy.standalone.errors import StartError
from deploy.standalone.operate import shell_lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m deploy.compose", description=__doc__)
    parser.add_argument("act", choices=("up", "down", "secrets", "demo"))
    parser.add_argument("--profile", action="append", default=[], help="grafana or mail")
    parser.add_argument("--volumes", action="store_true", help="down: remove the data, too")
    parser.add_argument(
        "--json", action="store_true", help="demo: print what demo.json of a stack contains"
    )
    options = parser.parse_args()
    try:
        if options.act in {"up", "secrets"}:
            for name in make_secrets():
                _report(f"wrote {Path(FOLDER, name)}")
        if options.act == "secrets":
            return
        project = Project(Engine.open(_report), dict(os.environ), _report)
        if options.act == "up":
            running = project.up(set(options.profile))
            _report(f"healthy: {' '.join(running)}")
        elif options.act == "down":
            project.down(with_data=options.volumes)
        else:
            print(render_demo(make_demo_data(project, _report), as_json=options.json))
    except (ImageError, NotInstalled, StartError) as error:
        sys.exit(str(error))


def render_demo(demo: dict[str, Any], *, as_json: bool) -> str:
    """Lines for a shell, or what `loadtests` and other tools read as ``demo.json``."""
    return orjson.dumps(demo).decode() if as_json else "\n".join(shell_lines(demo))


def _report(line: str) -> None:
    print(f"==> {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
