"""Settings that hold secrets may stand in files."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from common.service.settings import CommonSettings, explain_invalid
from control.foundation.settings import DatabaseSettings

_REDIS = "redis://edge:secret@redis:6379/0"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("PLACARD_REDIS_URL", raising=False)
    monkeypatch.delenv("PLACARD_DATABASE_URL", raising=False)
    monkeypatch.setenv("PLACARD_KEY_FILE", "keys")
    monkeypatch.setenv("PLACARD_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_a_setting_is_read_from_its_file_without_the_space_around_it(folder: Path) -> None:
    (folder / "placard_redis_url").write_text(f"{_REDIS}\n")
    assert CommonSettings().redis_url == _REDIS


def test_a_variable_takes_precedence_over_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "placard_redis_url").write_text(_REDIS)
    monkeypatch.setenv("PLACARD_REDIS_URL", "redis://other:6379/0")
    assert CommonSettings().redis_url == "redis://other:6379/0"


def test_migrate_reads_its_address_from_a_file(folder: Path) -> None:
    (folder / "placard_database_url").write_text("postgresql://placard@postgres/placard")
    assert DatabaseSettings().database_url == "postgresql://placard@postgres/placard"


def test_a_folder_that_is_not_there_is_refused_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACARD_SECRETS_DIR", str(folder / "absent"))
    monkeypatch.setenv("PLACARD_REDIS_URL", _REDIS)
    with pytest.raises(ValidationError) as caught:
        CommonSettings()
    assert explain_invalid(caught.value, CommonSettings).startswith("PLACARD_SECRETS_DIR: ")
