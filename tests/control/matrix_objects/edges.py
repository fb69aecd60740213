"""Edges: for operators; and versions, which are the same for everybody."""

from tests.control.matrix_registry import Room

ROOM = Room(
    for_everyone=frozenset({"getPropagation"}),
    shared=frozenset({"getPropagation"}),
    for_operators=frozenset({"listEdges"}),
)
