"""Objects shared by the control plane's processes: built by wiring, never at import."""

from dataclasses import dataclass, field
from typing import TypeVar, cast

from common.fetching.web import Fetcher, NoFetcher, NoResolver, Resolver
from common.service.secrets import KeyRing
from common.values.clock import Clock
from control.api.last_used import KeyUse
from control.api.tracing import ApiTracing
from control.foundation.metrics import ControlMetrics
from control.foundation.rate_limit import RateLimiter
from control.foundation.settings import ControlSettings
from control.ports.assets import AssetStore
from control.ports.exports import ExportStore, NoExports
from control.ports.mail import Mailer, NoMailer
from control.ports.payments import NoPayments, PaymentProvider
from control.ports.person_counts import FrequencyCounts, NoFrequencyCounts
from control.ports.rates import NoRateLimitSync, RateLimitSync
from control.ports.reconcile import NoReplayMailbox, ReplayMailbox
from control.ports.report_store import NoReportStore, ReportStore
from control.storage.database import Database

_Service = TypeVar("_Service")


@dataclass(slots=True)
class ControlContext:
    """The fields after ``report_store`` are this process's own memory, which starts empty."""

    settings: ControlSettings
    clock: Clock
    database: Database
    keys: KeyRing
    assets: AssetStore
    mailer: Mailer = field(default_factory=NoMailer)
    exports: ExportStore = field(default_factory=NoExports)
    resolver: Resolver = field(default_factory=NoResolver)
    fetcher: Fetcher = field(default_factory=NoFetcher)
    rates: RateLimitSync = field(default_factory=NoRateLimitSync)
    person_counts: FrequencyCounts = field(default_factory=NoFrequencyCounts)
    replay_mailbox: ReplayMailbox = field(default_factory=NoReplayMailbox)
    payments: PaymentProvider = field(default_factory=NoPayments)
    report_store: ReportStore = field(default_factory=NoReportStore)
    limiter: RateLimiter = field(default_factory=RateLimiter)
    key_use: KeyUse = field(default_factory=KeyUse)
    metrics: ControlMetrics = field(default_factory=ControlMetrics)
    tracing: ApiTracing | None = None
    """None: traces are off."""
    _services: dict[type, object] = field(default_factory=dict)

    def get(self, service: type[_Service]) -> _Service:
        """
        Returns this process's instance of a class of a higher package, like the password hasher.

        It is created without arguments at first use, unless wiring put one.
        """
        if service not in self._services:
            self._services[service] = service()
        return cast(_Service, self._services[service])

    def put(self, service: object) -> None:
        """Makes *service* the instance that `get` returns for its class."""
        self._services[type(service)] = service
