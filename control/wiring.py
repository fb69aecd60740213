"""The one place that builds what a process of the control plane shares. Nothing is connected before it is used."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.assets import find_local_folder
from common.clock import Clock, SystemClock
from common.secrets import KeyRing
from control.adapters.local_assets import LocalAssets
from control.assets.inspection import Inspector
from control.assets.links import UploadLinks
from control.context import ControlContext
from control.database import Database
from control.ports.assets import AssetStore
from control.settings import ControlSettings


@asynccontextmanager
async def open_control(settings: ControlSettings) -> AsyncIterator[ControlContext]:
    """Raises `KeyFileInvalid` where the key file cannot be read; a database that is away is found at first use."""
    keys, clock = settings.key_ring(), SystemClock()
    control = ControlContext(
        settings=settings,
        clock=clock,
        database=Database(settings.database_url),
        keys=keys,
        assets=_open_assets(settings, keys, clock),
        inspector=Inspector(at_once=settings.asset_inspections),
    )
    try:
        yield control
    finally:
        control.passwords.close()
        await control.database.close()


def _open_assets(settings: ControlSettings, keys: KeyRing, clock: Clock) -> AssetStore:
    folder = find_local_folder(settings.assets_store, settings.state)
    if folder is not None:
        return LocalAssets(folder, UploadLinks(keys, settings.control_url))
    from control.adapters.s3_assets import S3Assets  # which takes a while to load

    return S3Assets.open(settings.assets_store, clock)
