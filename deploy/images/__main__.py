"""``python -m deploy.images``: ``build`` the images, or ``pin`` the digests of those that others make."""

import argparse
import sys

from deploy.debian import NotInstalled
from deploy.images.build import Built, build
from deploy.images.engine import Engine, ImageError
from deploy.images.names import COMPOSE, DOCKERFILE
from deploy.images.pin import pin
from deploy.standalone.errors import StartError

_MIB = 1_048_576


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m deploy.images", description=__doc__)
    parser.add_argument("act", choices=("build", "pin"))
    parser.add_argument("--tag", default="dev", help="of the images that are built")
    parser.add_argument(
        "--c-only", action="store_true", help="compile only the modules that are written in C"
    )
    options = parser.parse_args()
    try:
        engine = Engine.open(_report)
        if options.act == "pin":
            pin(engine, [DOCKERFILE, COMPOSE], _report)
        else:
            compiled = "c" if options.c_only else "1"
            for one in build(engine, _report, tag=options.tag, compiled=compiled):
                _try_out(engine, one)
    except (ImageError, NotInstalled, StartError) as error:
        sys.exit(str(error))


def _try_out(engine: Engine, built: Built) -> None:
    """Runs the image once, as an unnamed user on a read-only file system."""
    arguments = () if built.target == "edge" else ("--help",)
    run = ("podman", "run", "--rm", "--read-only", "--network", "none", "--cap-drop", "all")
    done = engine.try_to(*run, built.name, *arguments)
    # Without settings, an edge names those that it lacks.
    works = "PLACARD_KEY_FILE" in done.stderr if built.target == "edge" else done.returncode == 0
    if not works:
        raise ImageError(f"{built.name} does not run:\n{done.stdout}{done.stderr}")
    size = built.compressed_bytes / _MIB
    _report(f"{built.name} runs: {built.digest}, {size:.0f} MiB compressed")


def _report(line: str) -> None:
    print(f"==> {line}", flush=True)


if __name__ == "__main__":
    main()
