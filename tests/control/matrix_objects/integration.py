"""The feed and the stream of events name nothing; tests of the stream cover other accounts."""

from tests.control.matrix_registry import Room

ROOM = Room(endless=frozenset({"streamEvents"}))
