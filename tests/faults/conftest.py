"""A folder for the tests that start a lone edge, and a Redis, which stops with the one file that uses it."""

from tests.faults.stack import own_folder, redis

__all__ = ["own_folder", "redis"]
