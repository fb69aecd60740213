"""The parts of a worker that endpoints may use. Wiring builds it once a worker; it is ``request.app.ctx.edge``."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sanic import Request
from uuid_utils import UUID

from common.pacing.worker_leases import LeasedBudgets
from common.service.cooperative import SharedSlice
from common.values.clock import Clock
from common.values.environment import Environment
from common.values.ids import new_id_at
from edge.audio.parts import AudioParts
from edge.ports import NOWHERE, Budgets, GeoLocation, GeoReader, MailStore, TokenStore
from edge.runtime.metrics import EdgeMetrics
from edge.runtime.tracing import EdgeTracing
from edge.settings import EdgeSettings
from edge.snapshots.handle import SnapshotHandle
from edge.spool.counters import Counters
from edge.spool.exceeded_share import ExceededShare
from edge.spool.spool import Spool
from edge.state.asset_folder import AssetFolder
from edge.state.click_ids import ClickIds
from edge.state.daily_salts import DailySalts
from edge.state.decision_recorder import NO_RECORDER, DecisionRecorder
from edge.state.frequency_caps import FrequencyCaps
from edge.state.idempotency_keys import ReusedKeys
from edge.state.ip_lists import IpLists
from edge.state.mail_memory import MailMemory
from edge.state.rate_limit import RateLimiter
from edge.state.redemptions import RedemptionPipeline
from edge.state.signing_keys import SigningSecrets


class NullGeoReader:
    """The geo reader of an edge without a geo database: every place is unknown."""

    failures = 0
    built_s = 0
    edition = 0

    def find(self, address: str) -> GeoLocation:  # noqa: ARG002 - of no address is anything known
        return NOWHERE


@dataclass(slots=True)
class EdgeContext:
    settings: EdgeSettings
    environment: Environment
    clock: Clock
    rng: random.Random
    snapshots: SnapshotHandle
    secrets: SigningSecrets
    limiter: RateLimiter
    tokens: TokenStore
    frequency_caps: FrequencyCaps
    spool: Spool
    counters: Counters
    metrics: EdgeMetrics
    mails: MailStore
    audio: AudioParts | None = None
    """None: an edge without a folder for content, as in tests of other parts."""
    assets: AssetFolder | None = None
    """None: the asset store is a bucket, which serves its own files."""
    lists: IpLists = field(default_factory=IpLists)
    salts: DailySalts = field(default_factory=DailySalts)
    geo: GeoReader = field(default_factory=NullGeoReader)
    new_token_id: Callable[[int], UUID] = new_id_at
    """Makes a fresh id for a token issued at an instant (epoch ms)."""
    budgets: Budgets = field(default_factory=LeasedBudgets)
    decisions: DecisionRecorder = NO_RECORDER
    tracing: EdgeTracing | None = None
    """None: traces are off."""
    next_grants: Callable[[], Awaitable[None]] | None = None
    """Waits for the next leases; None: no campaign needs one here."""
    mail_memory: MailMemory = field(default_factory=MailMemory)
    serve_slice: SharedSlice = field(default_factory=SharedSlice)
    """Of the decisions that Sanic's tasks make; those of the fast path have `UncachedThrottle`."""
    redemptions: RedemptionPipeline = field(init=False)
    reused_keys: ReusedKeys = field(init=False)
    exceeded: ExceededShare = field(init=False)
    click_ids: ClickIds = field(init=False)
    _next_seed: tuple[random.Random, int] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.redemptions = RedemptionPipeline(
            self.tokens, self.spool, self.frequency_caps, self.snapshots
        )
        self.reused_keys = ReusedKeys(self.tokens, self.environment)
        self.click_ids = ClickIds(self.secrets.ring, self.environment)
        settings = self.settings
        max_bytes = int(settings.spool_max_bytes * settings.spool_exceeded_share)
        self.exceeded = ExceededShare(self.spool, max_bytes)

    def peek_seed(self) -> int:
        """
        64 uniform bits: the value that `take_seed` will return. A call can thus be decided before
        its seed is used up.
        """
        ahead = self._next_seed
        if ahead is None or ahead[0] is not self.rng:
            ahead = self._next_seed = (self.rng, self.rng.getrandbits(64))
        return ahead[1]

    def take_seed(self) -> int:
        """64 uniform bits, for one call."""
        ahead = self._next_seed
        if ahead is None:
            return self.rng.getrandbits(64)
        self._next_seed = None
        return ahead[1] if ahead[0] is self.rng else self.rng.getrandbits(64)


def edge_of(request: Request) -> EdgeContext:
    """The context that handles *request*: the worker's, or a traced call's (`edge.tracking.traced_call`)."""
    own: EdgeContext | None = getattr(request.ctx, "edge", None)
    edge: EdgeContext = request.app.ctx.edge
    return edge if own is None else own
