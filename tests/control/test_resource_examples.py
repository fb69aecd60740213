"""The examples in the public description are what the models take and give."""

import pytest

from common.contract.operation import Answer, Operation
from control.ads import operations as ads
from control.assets import operations as assets
from control.campaigns import operations as campaigns
from control.keys import operations as keys
from control.properties import operations as properties
from control.slots import operations as slots

OPERATIONS = [
    value
    for module in (properties, slots, keys, campaigns, ads, assets)
    for value in vars(module).values()
    if isinstance(value, Operation)
]
WITH_BODY = [operation for operation in OPERATIONS if operation.body is not None]
ANSWERS = [(operation, answer) for operation in OPERATIONS for answer in operation.answers]


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
    assert operation.needs_version == (operation.method == "PATCH")
    assert operation.creates or not any(answer.status == 201 for answer in operation.answers)
    assert set(operation.needs) == set(operation.auth)
