"""What the control plane's processes share: built by wiring, never at import."""

from dataclasses import dataclass, field

from common.clock import Clock
from common.secrets import KeyRing
from control.accounts.passwords import Passwords
from control.database import Database
from control.key_use import KeyUse
from control.metrics import ControlMetrics
from control.ports.web import Fetcher, NoFetcher, NoResolver, Resolver
from control.rate_limit import RateLimiter
from control.settings import ControlSettings


@dataclass(slots=True)
class ControlContext:
    """The last four are this process's own memory, which starts empty."""

    settings: ControlSettings
    clock: Clock
    database: Database
    keys: KeyRing
    resolver: Resolver = field(default_factory=NoResolver)
    fetcher: Fetcher = field(default_factory=NoFetcher)
    limiter: RateLimiter = field(default_factory=RateLimiter)
    key_use: KeyUse = field(default_factory=KeyUse)
    passwords: Passwords = field(default_factory=Passwords)
    metrics: ControlMetrics = field(default_factory=ControlMetrics)
