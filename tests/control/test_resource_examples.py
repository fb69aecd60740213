"""The examples in the public description are what the models take and give."""

import pytest

from common.contract.operation import Answer, Auth, Operation
from control.processes.app import OPERATIONS
from tests.control.matrix_registry import exceptions

WITH_BODY = [operation for operation in OPERATIONS if operation.body is not None]


def _is_bare(answer: Answer) -> bool:
    """Nothing to show: no content, or a file."""
    return answer.status in (204, 304) or answer.media_type != "application/json"


ANSWERS = [
    (operation, answer)
    for operation in OPERATIONS
    for answer in operation.answers
    if operation.id not in exceptions("unshown") and not _is_bare(answer)
]


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda operation: operation.id)
def test_the_body_example_is_accepted(operation: Operation) -> None:
    assert operation.body is not None
    assert operation.body.model_validate(operation.body_example).model_fields_set


@pytest.mark.parametrize(
    ("operation", "answer"), ANSWERS, ids=[operation.id for operation, _ in ANSWERS]
)
def test_the_answer_example_is_what_the_model_gives(operation: Operation, answer: Answer) -> None:
    assert answer.model is not None, operation.id
    shown = answer.model.model_validate(answer.example).model_dump(mode="json")

    assert shown == answer.example


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_creating_and_patching_promise_what_they_must(operation: Operation) -> None:
    is_versioned = operation.method == "PATCH" and operation.id not in exceptions("unversioned")
    assert operation.needs_version or not is_versioned
    assert operation.creates or not any(answer.status == 201 for answer in operation.answers)
    of_scopes = set(operation.auth) - {Auth.SECRET_KEY}  # which carry none
    assert set(operation.needs) == of_scopes or operation.id in exceptions("for_everyone")
