"""Time zones of campaigns, as this machine knows them."""

import errno
import os
from typing import NoReturn

import pytest

from common.budget import local_day


def test_a_zone_is_known_where_the_database_of_time_zones_has_it() -> None:
    assert local_day.is_known_zone("America/Sao_Paulo")
    assert not local_day.is_known_zone("Nowhere/Nowhere")
    assert not local_day.is_known_zone("")


def test_a_zone_that_could_not_be_read_once_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_key: str) -> NoReturn:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patched:
        patched.setattr(local_day, "ZoneInfo", fail)
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            local_day.is_known_zone("Pacific/Chatham")
    assert local_day.is_known_zone("Pacific/Chatham")
