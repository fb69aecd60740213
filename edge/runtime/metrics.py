"""Counters of this worker's request path: plain numbers, read at each scrape."""

from collections import Counter

from common.http.connections import Connections
from common.values.errors import ErrorCode
from edge.runtime.latency import Latencies
from edge.runtime.loop_lag import LoopLagMonitor


class EdgeMetrics:
    """Counters; they only grow. Counting costs one dictionary increment. `edge.worker.worker_metrics` names them."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        """By outcome: ``fill`` or the no-fill reason."""
        self.refusals: Counter[str] = Counter()
        """By error code."""

        self.player_errors: Counter[str] = Counter()
        """Errors that players reported, by VAST's error code."""

        self.fast_path_requests = 0
        """
        Requests on the fast path: serve, track and the impression pixel (`edge.fastpath.http1.fast_serve`,
        `edge.fastpath.http1.fast_track`).
        """

        self.latencies = Latencies()
        self.loop = LoopLagMonitor()
        self.connections = Connections(0)
        """The connections of the app, once it is open."""
        self.full_gcs = 0
        self.gc_objects_freed = 0
        """Objects freed by full collections: the policy of `edge.runtime.gc_policy` had kept them too long."""

        self.assets: Counter[str] = Counter()
        """Responses to asset requests, by status."""
        self.asset_bytes = 0
        self.audio_downloads: Counter[str] = Counter()
        """
        Of content with ads, by the id of the property, as the IAB's Podcast Measurement counts them
        (`edge.stitching.delivery`).
        """

    def count_asset(self, status: int, size_bytes: int) -> None:
        self.assets[str(status)] += 1
        self.asset_bytes += size_bytes

    def count_decision(self, outcome: str) -> None:
        self.decisions[outcome] += 1

    def count_refusal(self, code: ErrorCode) -> None:
        self.refusals[code.value] += 1
