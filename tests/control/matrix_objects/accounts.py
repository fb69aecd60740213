"""Accounts, in the matrix."""

from tests.control.matrix_registry import Room

ROOM = Room(public=frozenset({"createAccount"}))
