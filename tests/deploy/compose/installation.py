"""A checkout of an operator, in whose folder one release takes the place of another, on this machine's containers."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.compose.demo import addresses
from deploy.images import engine as engines
from deploy.images.build import image_name
from deploy.images.engine import ROOT, Engine

_TARGETS = ("control", "edge")
_REVISION = '--format={{index .Config.Labels "org.opencontainers.image.revision"}}'
_ADDRESS = "--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
_FOR_RELEASE = re.compile(r"^(sed .*?) +# only for (\S+)$", re.MULTILINE)
_WORKERS = 2
"""Of the live edge, by the compose file."""
# What `make` runs, with the storage of this checkout, which has the images that others make.
_PROGRAM = """
import runpy, sys
from pathlib import Path
from deploy.images import engine
engine.FOLDER = Path(sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Installation:
    """``folder``: a clone of this repository. What the containers have, the oracle of a load reads from here."""

    folder: Path
    engine: Engine

    @classmethod
    def clone(cls, folder: Path, engine: Engine) -> "Installation":
        """An empty *folder* that has the commits of this repository, and no release yet."""
        _run("git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), ".", folder=folder)
        return cls(folder, engine)

    def check_out(self, commit: str) -> None:
        _run("git", "checkout", "--quiet", "--force", "--detach", commit, folder=self.folder)

    def check_out_this(self) -> None:
        """The files of this checkout, with changes that are not committed."""
        self.check_out(_run("git", "rev-parse", "HEAD", folder=ROOT).strip())
        changed = ("--modified", "--others", "--exclude-standard")
        for name in _run("git", "ls-files", "-z", *changed, folder=ROOT).split("\0"):
            if Path(ROOT, name).is_file():
                Path(self.folder, name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(ROOT, name), Path(self.folder, name))
            elif name:
                Path(self.folder, name).unlink()

    def run(self, module: str, *arguments: str) -> str:
        """The output of the checkout's own *module*, as ``python -m``."""
        storage = str(engines.FOLDER)
        return _run(
            *(sys.executable, "-c", _PROGRAM, storage, module, *arguments), folder=self.folder
        )

    def build_images(self, release: str, commit: str) -> dict[str, str]:
        """
        The id of each image of *release*, which is checked out. They are built once, and of their modules only those
        that are written in C are compiled.
        """
        names = [image_name(target, release) for target in _TARGETS]
        if any(self.engine.ask("podman", "inspect", _REVISION, one) != commit for one in names):
            self.run("deploy.images", "build", "--c-only", "--tag", release)
        return self.read_images(release)

    def read_images(self, tag: str = "dev") -> dict[str, str]:
        return {
            target: self.engine.run(
                "podman", "image", "inspect", "--format={{.Id}}", image_name(target, tag)
            ).strip()
            for target in _TARGETS
        }

    def use_images(self, ids: dict[str, str]) -> None:
        """As `make images` does: the name of each image is that of the newest build."""
        for target, id_ in ids.items():
            self.engine.run("podman", "tag", id_, image_name(target))

    def make_demo(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("deploy.compose", "demo", "--json"))
        return found

    def podman(self, *command: str) -> str:
        return self.engine.run("podman", *command)

    def read_revision(self, service: str) -> str:
        """The commit of the image that *service* runs on."""
        image = self.podman("inspect", "--format={{.Image}}", f"placard_{service}_1").strip()
        return self.podman("inspect", _REVISION, image).strip()

    def find_errors(self) -> list[str]:
        """What the service `doctor` finds now."""
        done = self.engine.try_to("podman", "start", "--attach", "placard_doctor_1")
        lines = (done.stdout + done.stderr).splitlines()
        assert any(" postgresql.schema " in line for line in lines), lines
        return [line for line in lines if line.startswith("error")]

    def prepare_way_back(self, release: str) -> None:
        """Runs what docs/containers.md says that the checkout of *release* needs on a newer schema."""
        stated = Path(ROOT, "docs", "containers.md").read_text()
        for line, name in _FOR_RELEASE.findall(stated):
            if name == release:
                _run("bash", "-euc", line, folder=self.folder)

    @property
    def authority(self) -> Path:
        return self.secret("authority.pem")

    def secret(self, name: str) -> Path:
        return self.folder / "deploy" / "compose" / "secrets" / name

    @property
    def demo(self) -> dict[str, str]:
        return {f"{name.lower()}_url": url for name, url in addresses({}).items()}

    def control(self, *arguments: str) -> None:
        self.podman("exec", "placard_api_1", "python", "-m", "control", *arguments)

    @property
    def state(self) -> Path:
        return self.folder

    @property
    def environment(self) -> dict[str, str]:
        """The database, at the address of its container; it has no published port."""
        password = self.secret("postgres_password").read_text()
        address = self.podman("inspect", _ADDRESS, "placard_postgres_1").strip()
        return {"PLACARD_DATABASE_URL": f"postgresql://placard:{password}@{address}/placard"}

    def edge_workers(self, environment: str) -> list[int]:
        del environment
        return list(range(_WORKERS))


def _run(*command: str, folder: Path) -> str:
    own = {**os.environ, "PLACARD_COMPILED": ""}  # noqa: TID251 - a program needs its own
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout
