"""The two environments; a key's prefix decides which one a call is in."""

from enum import StrEnum


class Environment(StrEnum):
    TEST = "test"
    LIVE = "live"

    @property
    def is_test(self) -> bool:
        return self is Environment.TEST
