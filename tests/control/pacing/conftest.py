"""A world of events and money for these tests."""

from tests.control.ingest.conftest import edge, ingest_database, world
from tests.control.pacing.race import race

__all__ = ["edge", "ingest_database", "race", "world"]
