"""`control keys`: key files. Needs no database, and no setting except the key file."""

import os
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from common.service.secrets import KeyFileInvalid, edge_key_file, parse_key_file

app = typer.Typer(help="Key files: derive-edge.", no_args_is_help=True)


@app.callback()
def keys() -> None:
    """Without a callback, typer would omit the name of a group's only command."""


@app.command()
def derive_edge(
    output: Annotated[Path, typer.Option(help="The edge key file; replaced where it exists.")],
    key_file: Annotated[
        Path, typer.Option(envvar="PLACARD_KEY_FILE", help="The service's own key file.")
    ],
) -> None:
    """
    Write a key file with only the keys that an edge needs.

    Run it again after each change of the service's key file.
    """
    try:
        ring = parse_key_file(key_file.read_bytes())
    except KeyFileInvalid as error:
        raise KeyFileInvalid(f"{key_file}: {error}") from error
    if not ring.keys:
        raise KeyFileInvalid(f"{key_file}: it is an edge's already. Name the service's own.")
    _write_private(output, edge_key_file(ring))
    typer.echo(f"{output}: keys of {', '.join(ring.keys)}, for edges only")


def _write_private(path: Path, content: bytes) -> None:
    """Writes the file atomically, readable only by its owner."""
    new = path.with_name(f"{path.name}.{uuid4().hex}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
