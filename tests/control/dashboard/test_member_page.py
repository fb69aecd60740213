"""The page of a member: the role that its form shows and sends."""

import pytest

from tests.control.identity.members.people import a_member, invite
from tests.support.control_api import ControlApi
from tests.support.forms import sent_of
from tests.support.resources import Customer, made
from tests.support.visitor import visiting


@pytest.mark.parametrize("is_open", [True, False])
async def test_the_form_keeps_a_role_that_the_reader_may_not_give(
    api: ControlApi, *, is_open: bool
) -> None:
    owner = await api.sign_up()
    member_id = (
        made(await invite(api, owner, "finance"))["id"]
        if is_open
        else (await a_member(api, owner, "finance"))[0]
    )
    _, admin = await a_member(api, owner, "admin")
    async with visiting(api, admin) as visitor:
        path = f"/members/{member_id}"
        fields = sent_of(await visitor.look(path), "form:has([name=role])")
        await visitor.act(path, **fields)

    assert fields["role"] == ["finance"]
    member = (await Customer(api, owner).get(f"/v1/members/{member_id}")).json()
    assert member["role"] == "finance"
