"""
Settings that both planes share, read from ``PLACARD_*`` variables. The only file that may read the environment.

Invalid settings raise pydantic's ValidationError, which names the variable; `__main__` turns it into a message.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import structlog
from pydantic import DirectoryPath, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
)

from common.service.deprecated_names import SETTINGS
from common.service.internal_tls import InternalTlsSettings
from common.service.kafka_settings import KafkaSettings
from common.service.redis_settings import RedisSettings
from common.service.secrets import KeyFileInvalid, KeyRing, parse_key_file
from common.service.setting_names import UnknownName, find_unknown

_log: structlog.stdlib.BoundLogger = structlog.get_logger("settings")


def with_present_names(environment: Mapping[str, str]) -> dict[str, str]:
    """
    Returns *environment* with each setting that has a former name under its present one; the present one takes
    precedence.
    """
    return {new: environment[old] for old, new in _former_in(environment)} | dict(environment)


def warn_of_names() -> None:
    """Logs one line for each former name of a setting in this process's environment, and for each unknown name."""
    for unknown in find_unknown_settings():
        _log.warning(
            "setting_unknown", setting=unknown.name, near=unknown.near, advice=unknown.advice
        )
    environment = os.environ  # noqa: TID251 - this module is where settings are read
    for old, new in _former_in(environment):
        if environment.get(new, environment[old]) != environment[old]:
            advice = f"It is ignored, because {new} is set too. Remove it."
        else:
            advice = f"Rename it to {new}. The next release ignores the former name."
        _log.warning("setting_deprecated", setting=old, use=new, advice=advice)


def find_unknown_settings() -> list[UnknownName]:
    """
    Returns the names that begin with ``PLACARD_`` and that no process and no tool knows: of this process's variables,
    and of the files in ``PLACARD_SECRETS_DIR``.
    """
    folder = _secrets_folder()
    files = [path.name for path in folder.iterdir()] if folder is not None else []
    return list(find_unknown([*os.environ, *files]))  # noqa: TID251 - this module is where settings are read


def _secrets_folder() -> Path | None:
    folder = os.environ.get("PLACARD_SECRETS_DIR", "")  # noqa: TID251 - this module is where settings are read
    return Path(folder) if folder and Path(folder).is_dir() else None


def _former_in(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((old, new) for old, new in SETTINGS.items() if old in environment)


def secret_files(settings: type[BaseSettings]) -> PydanticBaseSettingsSource:
    """
    Returns the source of settings from the files in ``PLACARD_SECRETS_DIR``: each has a variable's name in lower case
    and holds its value; space around it is ignored. Without that variable, or where it names no folder, it has none.
    """
    return SecretsSettingsSource(settings, secrets_dir=_secrets_folder())


class CommonSettings(RedisSettings, KafkaSettings, InternalTlsSettings):
    secrets_dir: DirectoryPath | None = Field(
        None,
        description=(
            "Folder of settings that hold secrets, a file each, named like its variable in lower case: "
            "`placard_redis_url`. Variables take precedence; none: only variables are read."
        ),
    )
    namespace: str = Field("placard", description="Prefix of every Redis name and Kafka topic.")
    key_file: Path = Field(description="The service's key file (see `common.service.secrets`).")
    state: Path = Field(Path("var"), description="Folder for all data of this process.")
    assets_store: str = Field(
        "",
        description=(
            "Asset storage: `file:///folder`, or `s3://bucket/prefix?endpoint=URL&region=NAME`; empty: `assets` in "
            "the state's folder."
        ),
    )
    data_center_ranges: Path | None = Field(
        None,
        description=(
            "Data-centre networks for the traffic filter, one CIDR range per line; none: the included seed list. "
            "Reloaded when another is renamed over it."
        ),
    )
    count_mail_opens: bool = Field(
        default=False,
        description=(
            "Whether image loads by mail proxies at the time of opening (Gmail's, Yahoo's) count as the recipient's; "
            "false: `mail_privacy_proxy`."
        ),
    )
    connections_per_address: int = Field(
        512,
        ge=1,
        description=(
            "Connections that one address (IPv6: one /64) can have open to one process; behind trusted proxies, "
            "requests in progress."
        ),
    )
    log_format: str = Field("json", description="`json` or `console`.")
    internal_host: str = Field("127.0.0.1", description="Host for metrics and internal HTTP.")
    internal_port: int = Field(
        0, description="Port for metrics and internal HTTP; 0: any free one."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library gives it by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library gives it by name
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """
        Returns the sources: arguments, then the environment, where former names of settings also work, then the files
        of secrets.
        """
        if isinstance(env_settings, EnvSettingsSource):
            present = with_present_names(
                {name.upper(): text or "" for name, text in env_settings.env_vars.items()}
            )
            env_settings.env_vars = {name.lower(): text for name, text in present.items()}
        return init_settings, env_settings, secret_files(settings_cls)

    def key_ring(self) -> KeyRing:
        """Reads the key file; raises `KeyFileInvalid` with the path."""
        try:
            return parse_key_file(self.key_file.read_bytes())
        except (OSError, KeyFileInvalid) as error:
            raise KeyFileInvalid(f"PLACARD_KEY_FILE {self.key_file}: {error}") from error


def explain_invalid(error: ValidationError, settings: type[BaseSettings]) -> str:
    """Returns a line for each setting that is wrong or missing, with the variable's name, never its value."""
    return "\n".join(
        _explain(one["loc"], one["msg"], settings)
        for one in error.errors()
        # A default that is derived of another setting is not wrong: the other one is.
        if one["type"] != "default_factory_not_called"
    )


def _explain(place: tuple[int | str, ...], message: str, settings: type[BaseSettings]) -> str:
    message = message.removeprefix("Value error, ").removesuffix(".")
    if not place:  # a contradiction between several, whose message names them
        return f"{message}."
    name = str(place[0])
    field = settings.model_fields.get(name)
    what = f" ({field.description})" if field is not None and field.description else ""
    return f"PLACARD_{name.upper()}: {message}.{what}"
