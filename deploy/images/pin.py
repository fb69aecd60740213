"""`make pin-images`: writes into the files the digest that a registry gives for each image that they name."""

import hashlib
from pathlib import Path

from deploy.debian import Say
from deploy.images.engine import Engine, ImageError
from deploy.images.names import list_names, with_digests


def pin(engine: Engine, files: list[Path], report: Say, *, options: tuple[str, ...] = ()) -> None:
    """
    Writes all digests or none: raises `ImageError` where a registry does not answer, and changes no file then.

    *options*: of ``skopeo inspect``.
    """
    names = dict.fromkeys(one.name for path in files for one in list_names(path))
    digests = {name: _ask(engine, name, options) for name in names}
    for path in files:
        path.write_text(with_digests(path.read_text(), digests))
    for name, digest in digests.items():
        report(f"{name}{digest}")


def _ask(engine: Engine, name: str, options: tuple[str, ...]) -> str:
    """The digest of the manifest under *name*, for all platforms together where it has several."""
    command = ("skopeo", "inspect", "--raw", *options, f"docker://{name}")
    try:
        manifest = engine.run(*command)
    except ImageError as error:
        raise ImageError(
            f"No registry answers for {name}; no digest was written. {error}"
        ) from error
    return f"@sha256:{hashlib.sha256(manifest.encode()).hexdigest()}"
