"""A world of events for these tests."""

from tests.control.events.ingest.conftest import edge, ingest_database, world

__all__ = ["edge", "ingest_database", "world"]
