"""`GET /v1/me` in the matrix."""

from tests.control.matrix_registry import Room

ROOM = Room(
    for_everyone=frozenset(
        {"getMe", "updateMe", "exportMe", "deleteMe", "getMailChoices", "updateMailChoices"}
    ),
    unversioned=frozenset({"updateMe", "updateMailChoices"}),
)
