"""Who signed in, and who tried to, in the audit log."""

from tests.support.control_api import ControlApi
from tests.support.resources import Customer


async def test_sign_ins_and_guesses_leave_a_line_but_not_one_a_guess(api: ControlApi) -> None:
    owner = await api.sign_up()
    for _ in range(4):
        await api.sign_in(owner.email, "not the password")
    await api.sign_in("nobody@people.example", "not the password")
    path = "/v1/audit-log?object_type="
    refused = (await Customer(api, owner).get(f"{path}user")).json()["data"]
    made = (await Customer(api, owner).get(f"{path}session")).json()["data"]

    assert [(line["action"], line["detail"]) for line in refused] == [
        ("session.refused", {"why": "password"})
    ]
    assert refused[0]["object_id"] == owner.user_id
    assert [line["action"] for line in made] == ["session.create"]
    assert "not the password" not in str(refused)
