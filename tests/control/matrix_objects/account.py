"""The caller's own account, which no path names."""

from tests.control.matrix_registry import Room

ROOM = Room(for_everyone=frozenset({"getAccount"}))
