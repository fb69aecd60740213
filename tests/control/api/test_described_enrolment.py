"""The description lists the refusal of a user who must set up a second factor first."""

import pytest

from common.contract.operation import Auth, Operation
from common.contract.permissions import Permission, Role
from common.values.errors import ErrorCode, Refused
from control.api.two_factor_enrolment import check_enrolled
from control.foundation.principal import Principal
from control.processes.app import OPERATIONS

FOR_USERS = [one for one in OPERATIONS if Auth.ACCESS_TOKEN in one.auth]
USER = Principal(
    auth=Auth.ACCESS_TOKEN,
    account_id="account",
    user_id="user",
    role=Role.OWNER,
    is_operator=False,
    permissions=frozenset(Permission),
    scopes=frozenset(),
    lost=frozenset(),
    key_id=None,
    environment=None,
    property_id=None,
    must_enrol=True,
)


@pytest.mark.parametrize("operation", FOR_USERS, ids=lambda operation: operation.id)
def test_a_refusal_for_want_of_a_second_factor_is_described(operation: Operation) -> None:
    assert (ErrorCode.PERMISSION_DENIED in operation.all_errors) == _is_refused(operation)


def _is_refused(operation: Operation) -> bool:
    try:
        check_enrolled(operation, USER)
    except Refused:
        return True
    return False
