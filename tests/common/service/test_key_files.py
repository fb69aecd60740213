"""Key files: the service's own, and those of edges."""

import base64
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from common.service.secrets import (
    EDGE_PURPOSES,
    KeyFileInvalid,
    KeyNotHeld,
    Purpose,
    edge_key_file,
    parse_key_file,
)
from control.foundation.key_files import app

_ROOTS = {name: base64.b64encode(name.encode() * 16).decode() for name in ("k1", "k2")}
_FILE = json.dumps({"active": "k2", "keys": _ROOTS}).encode()


def test_an_edge_file_has_the_same_keys_for_its_purposes_and_no_others() -> None:
    whole = parse_key_file(_FILE)
    edge = parse_key_file(edge_key_file(whole))

    assert (edge.active, edge.keys) == ("k2", {})
    for purpose in EDGE_PURPOSES:
        assert edge.derive(purpose) == whole.derive(purpose)
        assert edge.derive(purpose, "k1") == whole.derive(purpose, "k1")
    for purpose in set(Purpose) - set(EDGE_PURPOSES):
        with pytest.raises(KeyNotHeld):
            edge.derive(purpose)


def test_an_edge_opens_what_an_older_key_sealed() -> None:
    whole = parse_key_file(json.dumps({"active": "k1", "keys": _ROOTS}).encode())
    sealed = whole.seal(Purpose.SNAPSHOT, b"secret", bound_to="id")
    edge = parse_key_file(edge_key_file(parse_key_file(_FILE)))

    assert edge.unseal(Purpose.SNAPSHOT, sealed, bound_to="id") == b"secret"


def test_an_edge_file_that_lacks_a_purpose_says_how_to_make_it_again() -> None:
    content = json.loads(edge_key_file(parse_key_file(_FILE)))
    del content["edge_keys"]["k1"]["people"]

    with pytest.raises(KeyFileInvalid, match=r"people.*derive-edge"):
        parse_key_file(json.dumps(content).encode())


def test_a_key_with_a_character_that_is_not_of_base64_is_refused() -> None:
    """A decoder that is not strict would skip it."""
    whole = json.loads(_FILE)
    of_edges = json.loads(edge_key_file(parse_key_file(_FILE)))
    whole["keys"]["k1"] = f"*{whole['keys']['k1']}"
    of_edges["edge_keys"]["k1"]["people"] = f"*{of_edges['edge_keys']['k1']['people']}"

    for content in (whole, of_edges):
        with pytest.raises(KeyFileInvalid, match="not of the form"):
            parse_key_file(json.dumps(content).encode())


def test_derive_edge_writes_a_private_file_without_a_root_key(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_bytes(_FILE)
    output = tmp_path / "edge.json"
    arguments = ["derive-edge", "--key-file", str(tmp_path / "keys.json"), "--output", str(output)]
    ran = CliRunner().invoke(app, arguments)

    assert ran.exit_code == 0, ran.output
    assert output.stat().st_mode & 0o777 == 0o600
    assert not any(root in output.read_text() for root in _ROOTS.values())
    again = ["derive-edge", "--key-file", str(output), "--output", str(tmp_path / "other.json")]
    assert isinstance(CliRunner().invoke(app, again).exception, KeyFileInvalid)
