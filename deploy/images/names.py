"""The images that the Dockerfile and the compose file name: ``docker.io/REPOSITORY:TAG``, with or without a digest."""

import re
from dataclasses import dataclass
from pathlib import Path

from deploy.images.engine import ROOT

DOCKERFILE = ROOT / "deploy" / "images" / "Dockerfile"
COMPOSE = ROOT / "deploy" / "compose" / "compose.yaml"
_NAME = re.compile(
    r"(?P<name>[a-z0-9.-]+(?::\d+)?/[a-z0-9/._-]+:(?P<tag>[A-Za-z0-9._-]+))(?P<digest>@sha256:[0-9a-f]{64})?"
)
_PLACE = re.compile(rf"^(?:FROM|\s+image:) {_NAME.pattern}", re.MULTILINE)


@dataclass(frozen=True)
class ImageName:
    """*name*: with its tag. *digest*: with ``@sha256:`` before it; empty where none is written."""

    name: str
    tag: str
    digest: str

    @property
    def repository(self) -> str:
        return self.name.removesuffix(f":{self.tag}")

    @property
    def version(self) -> str:
        """The version in the tag: ``17.12`` of ``17.12-trixie``, ``2.53.3`` of ``v2.53.3``."""
        return self.tag.removeprefix("v").partition("-")[0]


def list_names(path: Path) -> list[ImageName]:
    """The public images that the file at *path* names, each once, in its order."""
    found = (
        ImageName(one["name"], one["tag"], one["digest"] or "")
        for one in _PLACE.finditer(path.read_text())
    )
    return list(dict.fromkeys(found))


def with_digests(text: str, digests: dict[str, str]) -> str:
    """*text* with the digest of each image, by its name; the empty text takes a digest away."""

    def pin(place: re.Match[str]) -> str:
        digest = digests.get(place["name"], place["digest"] or "")
        end = place.end() - place.start() - len(place["digest"] or "")
        return f"{place[0][:end]}{digest}"

    return _PLACE.sub(pin, text)


def without_digests(path: Path) -> str:
    """The file's text for images that were built here, which have the name alone."""
    return with_digests(path.read_text(), {one.name: "" for one in list_names(path)})
