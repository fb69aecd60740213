"""Names of everything shared in Redis and in the event log. No other file contains such a name."""

import zlib
from dataclasses import dataclass, replace

from common.service.redis_url import parse_redis_url
from common.values.environment import Environment

LOG_PARTITIONS = 4
"""Partitions of the event log; all records of one client are in one partition."""


def partition_of(partition_key: bytes) -> int:
    """CRC32 modulo the number of partitions: one rule for every log, its producers and its consumers."""
    return zlib.crc32(partition_key) % LOG_PARTITIONS


@dataclass(frozen=True, slots=True)
class Channels:
    """
    All names under one namespace, so that two stacks can share a server. *is_cluster*: names that one command, script
    or transaction needs together have a hash tag, so that one node of the cluster holds them.
    """

    namespace: str
    log: str = "log"
    topic: str = "events"
    group: str = "ingest"
    is_cluster: bool = False

    def on(self, url: str) -> "Channels":
        """The names in the Redis of *url*. Raises ValueError for a URL that `parse_redis_url` refuses."""
        return replace(self, is_cluster=parse_redis_url(url).is_cluster)

    def _tag(self, name: str) -> str:
        return f"{{{self.namespace}:{name}}}" if self.is_cluster else ""

    def _snapshot(self, environment: Environment, name: str) -> str:
        return f"{self.namespace}:snap:{environment}:{name}{self._tag(f'snap:{environment}')}"

    @property
    def decisions(self) -> "Channels":
        """The same names, with the log of decisions in place of that of events."""
        return replace(self, log="decisions", topic="decisions", group="ingest-decisions")

    def snapshot_changes(self, environment: Environment) -> str:
        """Pub/sub: deltas and heartbeats. Only a notification: a lost message is pulled. All nodes have it."""
        return f"{self.namespace}:snap:{environment}:bell"

    def snapshot_head(self, environment: Environment) -> str:
        """String: the newest heartbeat."""
        return self._snapshot(environment, "head")

    def snapshot_delta(self, environment: Environment, version: int) -> str:
        """String: one delta of the history (the last 1 000)."""
        return self._snapshot(environment, f"delta:{version}")

    def snapshot_full(self, environment: Environment) -> str:
        """String: header of the newest full snapshot, with its version and chunk count."""
        return self._snapshot(environment, "full")

    def snapshot_chunk(self, environment: Environment, version: int, number: int) -> str:
        """String: one compressed chunk, at most 1 MB."""
        return self._snapshot(environment, f"full:{version}:{number}")

    def edge_workers(self, environment: Environment) -> str:
        """Hash: worker name to its last ACK or NACK."""
        return f"{self.namespace}:edges:{environment}"

    def token_claim(self, environment: Environment, token_key: str) -> str:
        """String with a TTL: *token_key*, a token's id in hex and the kind of event, was redeemed."""
        return f"{self.namespace}:tok:{environment}:{token_key}"

    def person_counts(self, environment: Environment, person: str) -> str:
        """Hash: one person's counts for capped campaigns; *person* in hex. See `edge/adapters/redis_caps.py`."""
        return f"{self.namespace}:caps:{environment}:{person}"

    def counted_by(self, environment: Environment, worker: str) -> str:
        """Hash with a TTL: ``last``, the number of the last event that *worker*, a random id, counted for people."""
        return f"{self.namespace}:caps:{environment}:by:{worker}"

    def mail(self, environment: Environment, name: str) -> str:
        """Strings with a TTL: what was prepared for mails, by *name*. See `edge/adapters/redis_mails.py`."""
        return f"{self.namespace}:mail:{environment}:{self._tag(f'mail:{environment}')}{name}"

    def day_salt(self, environment: Environment, day: int) -> str:
        """String with a TTL: the salt of one day (since the epoch, UTC)."""
        return f"{self.namespace}:salt:{environment}:{day}"

    def limit_shares(self, environment: Environment) -> str:
        """Hash with a TTL: the shares of rate limits of the edge machines. See `edge/state/machine_shares.py`."""
        return f"{self.namespace}:limits:{environment}"

    def audio(self, environment: Environment, name: str) -> str:
        """With a TTL: a session of stitched audio, what was sent of it, or a counted download."""
        return f"{self.namespace}:audio:{environment}:{name}"

    def _of_log(self, name: str) -> str:
        return f"{self.namespace}:{self.log}:{name}{self._tag(self.log)}"

    def log_stream(self, partition: int) -> str:
        """Redis stream of one partition."""
        return self._of_log(str(partition))

    def log_lease(self, partition: int) -> str:
        """String with a TTL: the ingest process that reads the partition's stream."""
        return self._of_log(f"lease:{partition}")

    @property
    def lease_reports(self) -> str:
        """Hash: live edge worker to its last lease report."""
        return f"{self.namespace}:leases:reports{self._tag('leases')}"

    @property
    def lease_grants(self) -> str:
        """Hash: live edge worker to its grants."""
        return f"{self.namespace}:leases:grants{self._tag('leases')}"

    @property
    def rates(self) -> str:
        """Stream, short: rates that clients of the management API used, shared between its processes."""
        return f"{self.namespace}:rates"

    @property
    def log_generation(self) -> str:
        """String: random, created with the streams; a new value shows that Redis came back empty."""
        return self._of_log("generation")

    @property
    def log_settled(self) -> str:
        """Hash: spool writer to the highest sequence that ingest has committed without a gap."""
        return self._of_log("settled")

    @property
    def records_wanted(self) -> str:
        """Hash: spool writer to its missing records, a `common.tracking.reconcile.ReplayRequest`."""
        return f"{self.namespace}:reconcile:wanted"

    @property
    def records_kept(self) -> str:
        """Hash: spool writer to what its machine retains, a `common.tracking.reconcile.Retained`."""
        return f"{self.namespace}:reconcile:kept"

    @property
    def log_topic(self) -> str:
        """Kafka topic."""
        return f"{self.namespace}.{self.topic}"

    @property
    def log_group(self) -> str:
        """Kafka consumer group of ingest."""
        return f"{self.namespace}-{self.group}"
