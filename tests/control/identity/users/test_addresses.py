"""One person, one spelling of their address."""

import pytest
from pydantic_core import PydanticCustomError

from control.identity.users.addresses import find_email, parse_email
from tests.support.control_api import PASSWORD, ControlApi


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (" Ana@Acme.EXAMPLE ", "ana@acme.example"),
        ("ana@bücher.example", "ana@xn--bcher-kva.example"),
        ("ana@xn--bcher-kva.example", "ana@xn--bcher-kva.example"),
        ("ana@例え.テスト", "ana@xn--r8jz45g.xn--zckzah"),
        ("ana+ads@acme.example", "ana+ads@acme.example"),
        ("ana@BÜCHER.example", "ana@xn--bcher-kva.example"),
    ],
)
def test_an_address_has_one_spelling(given: str, stored: str) -> None:
    assert parse_email(given) == stored
    assert parse_email(stored) == stored


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ana",
        "@acme.example",
        "ana@",
        "ana@acme",
        "a na@acme.example",
        "ana@acme..example",
        "ana@-acme.example\n",
        "ana@acme.example\r\nBcc: all@acme.example",
        "ana@" + "a" * 64 + ".example",
        "a" * 65 + "@acme.example",
        "a@" + "b." * 130 + "example",
        "ana@\u2028.example",
    ],
)
def test_an_invalid_address_is_refused(given: str) -> None:
    with pytest.raises(PydanticCustomError):
        parse_email(given)
    assert find_email(given) is None


def test_a_mailbox_in_other_letters_is_refused_with_what_to_do() -> None:
    with pytest.raises(PydanticCustomError, match="ASCII"):
        parse_email("ána@acme.example")


async def test_a_user_signs_in_however_the_domain_is_written(api: ControlApi) -> None:
    body = {"name": "Bücher", "email": "ana@bücher.example", "password": PASSWORD}
    made = await api.http.post("/v1/accounts", json=body)

    assert made.json()["user"]["email"] == "ana@xn--bcher-kva.example"
    assert (await api.sign_in("ANA@Bücher.example")).is_success
    assert (await api.sign_in("ana@xn--bcher-kva.example")).is_success
