"""
The images that others make, on machines where no registry answers: made of Debian's packages, under the same names.

Each stand-in has the version that its name says, or is not made.
"""

import shutil
from pathlib import Path

from deploy.debian import Say, install_missing
from deploy.images.engine import FOLDER, Engine, niced
from deploy.images.names import ImageName
from deploy.standalone.kafka_jars import fetch

_DEBIAN = "localhost/placard-debian:trixie"
_HERE = Path(__file__).with_name("base")
_STAND_INS = {
    "docker.io/library/python": "python",
    "docker.io/library/postgres": "postgres",
    "docker.io/library/redis": "redis",
    "docker.io/library/haproxy": "haproxy",
    "docker.io/apache/kafka": "kafka",
    "docker.io/prom/prometheus": "prometheus",
}
"""By repository, the name of the Dockerfile in ``base/``. Debian has no Grafana and no Mailpit."""


def make_available(engine: Engine, names: list[ImageName], report: Say) -> list[ImageName]:
    """
    Has each of *names* in the storage, from a registry or as a stand-in; returns those that cannot be had here.

    Raises `ImageError` if a stand-in cannot be made.
    """
    missing = [one for one in names if not engine.has(one.name)]
    if missing and _pull(engine, missing[0]):
        missing = [one for one in missing[1:] if not _pull(engine, one)]
        answers = True
    else:
        answers = False
    for one in missing if not answers else []:
        if one.repository in _STAND_INS:
            _build(engine, one, report)
    return [one for one in names if not engine.has(one.name)]


def _pull(engine: Engine, image: ImageName) -> bool:
    done = engine.try_to("podman", "pull", "--quiet", f"{image.name}{image.digest}")
    if done.returncode == 0 and image.digest:
        engine.run("podman", "tag", f"{image.repository}{image.digest}", image.name)
    return done.returncode == 0


def _build(engine: Engine, image: ImageName, report: Say) -> None:
    _make_debian(engine, report)
    name = _STAND_INS[image.repository]
    report(f"making {image.name} of Debian's packages, because no registry answers")
    context = fetch(report).parent if name == "kafka" else _HERE
    command = ["buildah", "bud", "--isolation", "chroot", "--format", "docker", "--quiet"]
    command += ["--build-arg", f"VERSION={image.version}", "--tag", image.name]
    command += ["--file", str(_HERE / f"{name}.Dockerfile"), str(context)]
    engine.run(*niced(command))


def _make_debian(engine: Engine, report: Say) -> None:
    if engine.has(_DEBIAN):
        return
    lacks = shutil.which("debootstrap") is None
    needed = ["debootstrap", "debian-archive-keyring"] if lacks else []
    install_missing(needed, report, otherwise="Install debootstrap.")
    report("making a root directory of Debian 13 with debootstrap")
    root = FOLDER / "debian"
    shutil.rmtree(root, ignore_errors=True)
    # It mounts folders of this machine; in a namespace of its own, none is left if it is killed.
    install = ["unshare", "--mount", "--fork", "--kill-child", "debootstrap"]
    options = ["--variant=minbase", "--force-check-gpg", "--include=ca-certificates"]
    engine.run(*niced([*install, *options, "trixie", str(root)]))
    archive = root.with_suffix(".tar")
    left_out = [f"--exclude=./{folder}/*" for folder in ("proc", "sys", "dev", "var/cache/apt")]
    left_out.append("--exclude=./var/lib/apt/lists/*")
    engine.run("tar", "--create", f"--file={archive}", f"--directory={root}", *left_out, ".")
    engine.run("podman", "import", "--quiet", str(archive), _DEBIAN)
    archive.unlink()
    shutil.rmtree(root)
