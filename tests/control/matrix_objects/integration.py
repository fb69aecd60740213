"""The feed and the stream of events name nothing; strangers of the stream are in its own tests."""

from tests.control.matrix_registry import Room

ROOM = Room(endless=frozenset({"streamEvents"}))
