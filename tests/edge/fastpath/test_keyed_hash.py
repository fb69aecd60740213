"""The hash of the native cache is SipHash-1-3, as Python's own hash of bytes."""

import ctypes
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from common.service.compiled import ROOT

_SOURCE = "edge/fastpath/serve_cache/keyed_hash.c"
_NO_KEY = bytes(16)
_ABOUT = 0x0123456789ABCDEF
_TEXTS = [bytes(range(length)) for length in (*range(25), 255, 256)]
_PRINT_HASHES = "import json, sys; print([hash(bytes(one)) for one in json.loads(sys.argv[1])])"


@pytest.fixture
def keyed_hash(tmp_path: Path) -> Any:
    built = str(tmp_path / "keyed_hash.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-I.", _SOURCE, "-o", built], cwd=ROOT, check=True)
    found = ctypes.CDLL(built).keyed_hash
    found.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t]
    found.restype = ctypes.c_int64
    return found


def test_the_hash_without_a_key_is_that_of_python(keyed_hash: Any) -> None:
    whole = [[*_ABOUT.to_bytes(8, "little"), *text] for text in _TEXTS]
    printed = subprocess.run(
        [sys.executable, "-c", _PRINT_HASHES, json.dumps(whole)],
        env={"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert [keyed_hash(_NO_KEY, _ABOUT, text, len(text)) for text in _TEXTS] == json.loads(printed)


def test_each_part_of_the_key_changes_the_hash(keyed_hash: Any) -> None:
    keys = (_NO_KEY, b"\1" + bytes(15), bytes(15) + b"\1")

    assert len({keyed_hash(key, 1, b"text", 4) for key in keys}) == 3
