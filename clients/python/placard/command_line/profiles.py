"""
Where the command keeps addresses and keys: one file, readable by its owner alone, with a section for each profile.
Variables of the environment take precedence over it.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Self

_FILE_MODE, _FOLDER_MODE = 0o600, 0o700
_VARIABLES = {
    "base_url": "PLACARD_BASE_URL",
    "edge_url": "PLACARD_EDGE_URL",
    "management_key": "PLACARD_MANAGEMENT_KEY",
    "edge_key": "PLACARD_EDGE_KEY",
}


class ProfileError(Exception):
    """The message says what to do."""


@dataclass(frozen=True, slots=True)
class Profile:
    """An empty field was not given."""

    base_url: str = ""
    edge_url: str = ""
    management_key: str = ""
    edge_key: str = ""

    def with_variables(self, environment: Mapping[str, str]) -> Self:
        given = {name: environment.get(variable, "") for name, variable in _VARIABLES.items()}
        return self.with_fields_of(Profile(**given))

    def with_fields_of(self, other: "Profile") -> Self:
        """The fields of *other* where it has them."""
        return replace(self, **{name: value for name, value in asdict(other).items() if value})

    def require(self, *names: str) -> None:
        missing = [name for name in names if not getattr(self, name)]
        if missing:
            variables = " and ".join(_VARIABLES[name] for name in missing)
            raise ProfileError(f"Run `placard login` first, or set {variables}.")


class ProfileFile:
    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def usual(cls, environment: Mapping[str, str]) -> Self:
        """`$PLACARD_CONFIG`, else in the user's folder of settings."""
        given = environment.get("PLACARD_CONFIG")
        if given:
            return cls(Path(given))
        folder = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        return cls(Path(folder) / "placard" / "profiles.json")

    def get(self, name: str) -> Profile:
        """An empty profile if there is none of that *name*."""
        known = {one.name for one in fields(Profile)}
        stored = self._load().get(name, {})
        return Profile(**{key: value for key, value in stored.items() if key in known})

    def put(self, name: str, profile: Profile) -> None:
        """Replaces the file as a whole. It is never readable by others, not even while it is written."""
        stored = {**self._load(), name: asdict(profile)}
        self.path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        new = self.path.with_name(f"{self.path.name}.new")
        with suppress(FileNotFoundError):
            new.unlink()
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(stored, file, indent=2)
        new.replace(self.path)

    def _load(self) -> dict[str, dict[str, str]]:
        try:
            found: dict[str, dict[str, str]] = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise ProfileError(f"{self.path} is not JSON. Mend or delete it.") from error
        return found
