"""A world of events and money for these tests."""

from tests.control.delivery.pacing.race import race
from tests.control.events.ingest.conftest import edge, ingest_database, world

__all__ = ["edge", "ingest_database", "race", "world"]
