"""One stack with its event log on Redis Streams, for all tests of this folder."""

from tests.faults.stack import (
    customer,
    kafka_bootstrap,
    own_folder,
    postgres,
    redis,
    stack,
    traffic,
)

__all__ = ["customer", "kafka_bootstrap", "own_folder", "postgres", "redis", "stack", "traffic"]
