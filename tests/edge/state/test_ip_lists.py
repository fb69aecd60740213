"""The operator's list of data centres: taken up when it changes, and never lost to a bad one."""

from errno import EIO
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from common.ivt.lists import RangesInvalid
from edge.state.ip_lists import IpLists

CLOUD, OTHER = ip_address("192.0.2.7"), ip_address("198.51.100.7")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "clouds"
    made.write_text("192.0.2.0/24\n")
    return made


def replace(path: Path, content: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.rename(path)


def test_a_new_file_is_loaded_with_a_version_of_its_own(path: Path) -> None:
    lists = IpLists.read(path)
    before = lists.current
    replace(path, b"198.51.100.0/24\n")
    lists.refresh()

    assert CLOUD in before.datacenter
    assert CLOUD not in lists.current.datacenter
    assert OTHER in lists.current.datacenter
    assert lists.current.version not in {"", before.version}


@pytest.mark.parametrize("content", [b"not a range\n", b"\xff\xfe\x00", b"10.0.0.0/99"])
def test_a_bad_file_leaves_the_lists_before_in_use_and_is_counted(
    path: Path, content: bytes
) -> None:
    lists = IpLists.read(path)
    before = lists.current
    replace(path, content)
    lists.refresh()
    lists.refresh()

    assert (lists.current, lists.failures) == (before, 1)
    replace(path, b"198.51.100.0/24\n")
    lists.refresh()
    assert OTHER in lists.current.datacenter


def test_a_file_that_could_not_be_read_is_read_at_the_next_look(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = IpLists.read(path)
    replace(path, b"198.51.100.0/24\n")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", _fail)
        patch.setattr(Path, "read_text", _fail)
        patch.setattr(Path, "open", _fail)
        lists.refresh()
    assert (CLOUD in lists.current.datacenter, lists.failures) == (True, 1)
    lists.refresh()
    assert OTHER in lists.current.datacenter


def _fail(*_: Any, **__: Any) -> None:
    raise OSError(EIO, "Input/output error")


def test_a_file_that_is_gone_leaves_the_lists_before_in_use(path: Path) -> None:
    lists = IpLists.read(path)
    path.unlink()
    lists.refresh()
    assert (CLOUD in lists.current.datacenter, lists.failures) == (True, 1)


def test_a_worker_does_not_start_with_a_bad_file(path: Path) -> None:
    path.write_text("nonsense")
    with pytest.raises(RangesInvalid, match="line 1"):
        IpLists.read(path)


def test_without_a_file_the_seed_list_is_used() -> None:
    lists = IpLists.read(None).current
    assert ip_address("34.64.1.1") in lists.datacenter
    assert ip_address("2a01:4f8::1") in lists.datacenter
    assert ip_address("88.64.1.1") not in lists.datacenter
    assert ip_address("104.28.1.1") not in lists.datacenter
