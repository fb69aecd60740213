"""What the control plane's processes share: built by wiring, never at import."""

from dataclasses import dataclass, field

from common.clock import Clock
from common.secrets import KeyRing
from control.accounts.passwords import Passwords
from control.assets.inspection import Inspector
from control.database import Database
from control.decisions.rebuilt import RebuiltSnapshots
from control.forecast.forecaster import Forecaster
from control.integration.broadcast import EventStreams
from control.key_use import KeyUse
from control.metrics import ControlMetrics
from control.ports.assets import AssetStore
from control.ports.exports import ExportStore, NoExports
from control.ports.mail import Mailer, NoMailer
from control.ports.payments import NoPayments, PaymentProvider
from control.ports.person_counts import NoPersonCounts, PersonCounts
from control.ports.rates import NoExchange, RateExchange
from control.ports.reconcile import NoDesk, ReconcileDesk
from control.ports.web import Fetcher, NoFetcher, NoResolver, Resolver
from control.rate_limit import RateLimiter
from control.sessions.use import SessionUse
from control.settings import ControlSettings


@dataclass(slots=True)
class ControlContext:
    """What follows ``rates`` is this process's own memory, which starts empty."""

    settings: ControlSettings
    clock: Clock
    database: Database
    keys: KeyRing
    assets: AssetStore
    mailer: Mailer = field(default_factory=NoMailer)
    exports: ExportStore = field(default_factory=NoExports)
    resolver: Resolver = field(default_factory=NoResolver)
    fetcher: Fetcher = field(default_factory=NoFetcher)
    rates: RateExchange = field(default_factory=NoExchange)
    person_counts: PersonCounts = field(default_factory=NoPersonCounts)
    desk: ReconcileDesk = field(default_factory=NoDesk)
    payments: PaymentProvider = field(default_factory=NoPayments)
    limiter: RateLimiter = field(default_factory=RateLimiter)
    key_use: KeyUse = field(default_factory=KeyUse)
    session_use: SessionUse = field(default_factory=SessionUse)
    passwords: Passwords = field(default_factory=Passwords)
    inspector: Inspector = field(default_factory=Inspector)
    streams: EventStreams = field(default_factory=EventStreams)
    forecaster: Forecaster = field(default_factory=Forecaster)
    rebuilt: RebuiltSnapshots = field(default_factory=RebuiltSnapshots)
    metrics: ControlMetrics = field(default_factory=ControlMetrics)
