"""A world of events and money for these tests."""

from tests.control.ingest.conftest import edge, ingest_database, world

__all__ = ["edge", "ingest_database", "world"]
