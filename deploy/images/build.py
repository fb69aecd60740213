"""Builds the images of this checkout, alike for each build of a commit."""

import secrets
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from common.service.version import VERSION
from deploy.debian import Say
from deploy.images.bases import make_available
from deploy.images.engine import FOLDER, ROOT, Engine, ImageError, niced
from deploy.images.names import DOCKERFILE, list_names, without_digests

TARGETS = ("control", "edge", "cli")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_PIP = Path("/etc/pip.conf")
_TREE = ("common", "control", "edge", "clients", "deploy", "requirements", "pyproject.toml")


@dataclass(frozen=True)
class Built:
    """*digest*: of the manifest. *compressed_bytes*: the sum of its layers, as a registry stores them."""

    target: str
    name: str
    digest: str
    compressed_bytes: int


def image_name(target: str, tag: str = "dev") -> str:
    return f"localhost/placard-{target}:{tag}"


def build(
    engine: Engine, report: Say, *, tag: str = "dev", cached: bool = True, compiled: str = "1"
) -> list[Built]:
    """
    Builds every target under *tag*, one after another, then exports each as a registry would receive it.

    *cached*: steps whose input did not change are taken from earlier builds. *compiled*: ``1`` for all modules, ``c``
    for those that are written in C alone. Raises `ImageError`.
    """
    missing = make_available(engine, list_names(DOCKERFILE), report)
    if missing:
        raise ImageError(f"{missing[0].name} cannot be had here: no registry answers.")
    arguments = _arguments() | {"COMPILED": compiled}
    if not cached:
        # One value for all targets: the first builds the stage that they share, and the others take it.
        arguments["RUN_AGAIN"] = secrets.token_hex(8)
    return [_build(engine, target, tag, report, arguments) for target in TARGETS]


def _build(engine: Engine, target: str, tag: str, report: Say, arguments: dict[str, str]) -> Built:
    name = image_name(target, tag)
    report(f"building {name}")
    with TemporaryDirectory(prefix="pli-") as folder:
        dockerfile = Path(folder, "Dockerfile")
        dockerfile.write_text(without_digests(DOCKERFILE))
        command = ["buildah", "bud", "--isolation", "chroot", "--format", "docker", "--quiet"]
        command += ["--layers", "--pull-never", "--timestamp", str(source_date_epoch())]
        command += [f"--ignorefile={DOCKERFILE}.dockerignore", "--target", target, "--tag", name]
        for argument, value in arguments.items():
            command += ["--build-arg", f"{argument}={value}"]
        # Of the Dockerfile's labels, a cached step keeps the values of the build that made it.
        for label in ("version", "revision", "created"):
            value = arguments[label.upper()]
            command += ["--label", f"org.opencontainers.image.{label}={value}"]
        # Without a value: that of the environment, if it has one.
        command += ["--build-arg", "PYTHON_CPU_COUNT"]
        command += [*_package_access(), "--file", str(dockerfile), str(ROOT)]
        engine.run(*niced(command))
    return _export(engine, target, name)


def _export(engine: Engine, target: str, name: str) -> Built:
    with TemporaryDirectory(prefix="image-", dir=FOLDER) as folder:
        digest_file = Path(folder, "digest")
        command = ["podman", "push", "--quiet", "--compress", "--format", "v2s2", "--digestfile"]
        engine.run(*niced([*command, str(digest_file), name, f"dir:{folder}/image"]))
        layers = [one for one in Path(folder, "image").iterdir() if len(one.name) == 64]  # noqa: PLR2004 - a SHA-256
        size = sum(one.stat().st_size for one in layers)
        return Built(target, name, digest_file.read_text().strip(), size)


def source_date_epoch() -> int:
    """The time of the newest commit, in seconds: that of every file in the images."""
    return int(_git("log", "-1", "--format=%ct"))


def _arguments() -> dict[str, str]:
    revision = _git("rev-parse", "HEAD")
    if _git("status", "--porcelain", "--", *_TREE):
        revision += "-dirty"
    created = datetime.fromtimestamp(source_date_epoch(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"VERSION": VERSION, "REVISION": revision, "CREATED": created}


def _package_access() -> list[str]:
    """What a machine behind a proxy trusts and how its pip is configured; neither enters an image."""
    options = []
    if _CERTIFICATES.exists():
        options += ["--volume", f"{_CERTIFICATES}:{_CERTIFICATES}:ro"]
    if _PIP.exists():
        options += ["--secret", f"id=pip,src={_PIP}"]
    return options


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ImageError(f"`git {' '.join(arguments)}` failed: {done.stderr.strip()}")
    return done.stdout.strip()
