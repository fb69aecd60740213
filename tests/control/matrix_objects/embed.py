"""Embed sessions, in the matrix: which scope is needed, the component says."""

from tests.control.matrix_registry import Room

ROOM = Room(for_everyone=frozenset({"createEmbedSession"}))
