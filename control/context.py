"""What the control plane's processes share: built by wiring, never at import."""

from dataclasses import dataclass

from common.clock import Clock
from common.secrets import KeyRing
from control.database import Database
from control.settings import ControlSettings


@dataclass(slots=True)
class ControlContext:
    settings: ControlSettings
    clock: Clock
    database: Database
    keys: KeyRing
